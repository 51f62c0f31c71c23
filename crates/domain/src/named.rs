//! Enumerations whose values have names in the API or in the database.

/// Declares an enumeration with the name of each value, and `ALL`, `as_str` and `from_name`.
macro_rules! named {
    (
        $(#[$meta:meta])*
        pub enum $kind:ident {
            $($(#[$variant_meta:meta])* $variant:ident = $name:literal,)*
        }
    ) => {
        $(#[$meta])*
        pub enum $kind {
            $($(#[$variant_meta])* $variant,)*
        }

        impl $kind {
            /// All values in the order of their declaration.
            pub const ALL: [Self; [$($name),*].len()] = [$(Self::$variant),*];

            /// Returns the name of the value.
            pub const fn as_str(self) -> &'static str {
                match self {
                    $(Self::$variant => $name,)*
                }
            }

            /// Finds the value with that name.
            pub fn from_name(name: &str) -> Option<Self> {
                Self::ALL.into_iter().find(|value| value.as_str() == name)
            }
        }
    };
}

pub(crate) use named;
