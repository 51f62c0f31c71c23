//! Labels: the names of resources in a trace. They are assigned when an operation is drawn, so they
//! keep their meaning when other operations are removed from the trace. A label of a removed
//! operation is an unknown resource.

use std::fmt;

macro_rules! labels {
    ($($name:ident $letter:literal),* $(,)?) => {$(
        #[doc = concat!("As in `", $letter, "7`.")]
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub struct $name(pub u32);

        impl fmt::Debug for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                match self.0 {
                    u32::MAX => write!(f, concat!($letter, "?")),
                    number => write!(f, concat!($letter, "{}"), number),
                }
            }
        }

        impl From<u32> for $name {
            fn from(number: u32) -> $name {
                $name(number)
            }
        }
    )*};
}

labels! {
    Book "B",
    Account "A",
    Group "G",
    Transaction "T",
    Collaborator "C",
    File "F",
    SavedQuery "Q",
    Collection "K",
    AccessRequest "R",
    Token "W",
    App "X",
    Integration "I",
    Connection "N",
    Comment "M",
}
