//! int_convert
