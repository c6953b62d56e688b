//! transcendental
