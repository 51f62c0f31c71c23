//! Rules of imports, as tables.
