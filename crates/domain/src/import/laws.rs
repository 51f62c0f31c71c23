//! Laws of imports, on random files and books.
