//! modifiers
