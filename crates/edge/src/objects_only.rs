//! JSON shapes that are objects.

/// Implements `Deserialize` for JSON objects only (behaviour 0.10).
///
/// The derived implementation would also accept an array by position. The shape must derive
/// `Deserialize` with `#[serde(remote = "Self")]`.
#[macro_export]
macro_rules! objects_only {
    ($($shape:ident),*) => {
        $(impl<'de> serde::Deserialize<'de> for $shape {
            fn deserialize<D: serde::Deserializer<'de>>(reader: D) -> Result<Self, D::Error> {
                struct ObjectVisitor;
                impl<'de> serde::de::Visitor<'de> for ObjectVisitor {
                    type Value = $shape;

                    fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                        f.write_str("an object")
                    }

                    fn visit_map<A: serde::de::MapAccess<'de>>(
                        self,
                        map: A,
                    ) -> Result<$shape, A::Error> {
                        $shape::deserialize(serde::de::value::MapAccessDeserializer::new(map))
                    }
                }
                reader.deserialize_map(ObjectVisitor)
            }
        })*
    };
}
