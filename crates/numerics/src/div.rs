//! div
