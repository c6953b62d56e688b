//! minmax
