//! integral
