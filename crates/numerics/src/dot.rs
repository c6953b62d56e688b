//! dot
