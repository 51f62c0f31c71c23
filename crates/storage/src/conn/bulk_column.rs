//! A column of row-major values as a PostgreSQL array.
//!
//! The array is encoded directly into the message to the server, in PostgreSQL's binary format: the
//! number of dimensions, flags, the element type, the length and the first subscript of the one
//! dimension, and then each element after its length.

use std::error::Error;
use std::io::Write;

use diesel::pg::Pg;
use diesel::serialize::{IsNull, Output, Result, ToSql};
use diesel::sql_types::{Array, HasSqlType, Nullable};

use crate::conn::sql::Value;

const DIMENSIONS: i32 = 1;
/// Whether the array contains NULLs. PostgreSQL ignores it on input.
const FLAGS: i32 = 0;
const FIRST_SUBSCRIPT: i32 = 1;
const LENGTH_OF_NULL: i32 = -1;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ColumnType {
    Int,
    Flag,
    Text,
    Bytes,
}

impl ColumnType {
    const fn of(value: &Value<'_>) -> Self {
        match value {
            Value::Int(_) | Value::SomeInt(_) => Self::Int,
            Value::Flag(_) => Self::Flag,
            Value::Text(_) | Value::SomeText(_) => Self::Text,
            Value::Bytes(_) => Self::Bytes,
        }
    }
}

/// One column of row-major values.
#[derive(Debug)]
pub(crate) struct Column<'a> {
    kind: ColumnType,
    /// All values, row by row.
    values: &'a [Value<'a>],
    /// The number of columns.
    width: usize,
    /// The index of this column.
    index: usize,
}

impl<'a> Column<'a> {
    /// Returns the columns of rows with `width` values each.
    pub(crate) fn all(values: &'a [Value<'a>], width: usize) -> Vec<Self> {
        let column = |(index, first)| Self { kind: ColumnType::of(first), values, width, index };
        values.iter().take(width).enumerate().map(column).collect()
    }

    pub(crate) const fn kind(&self) -> ColumnType {
        self.kind
    }

    fn elements(&self) -> impl ExactSizeIterator<Item = &'a Value<'a>> {
        self.values.iter().skip(self.index).step_by(self.width)
    }
}

impl<T> ToSql<Array<Nullable<T>>, Pg> for Column<'_>
where
    Pg: HasSqlType<T>,
{
    fn to_sql<'b>(&'b self, out: &mut Output<'b, '_, Pg>) -> Result {
        let element = <Pg as HasSqlType<T>>::metadata(out.metadata_lookup()).oid()?;
        out.write_all(&DIMENSIONS.to_be_bytes())?;
        out.write_all(&FLAGS.to_be_bytes())?;
        out.write_all(&element.to_be_bytes())?;
        out.write_all(&i32::try_from(self.elements().len())?.to_be_bytes())?;
        out.write_all(&FIRST_SUBSCRIPT.to_be_bytes())?;
        for value in self.elements() {
            if ColumnType::of(value) != self.kind {
                return Err("a column with values of two types".into());
            }
            match value {
                Value::Int(number) | Value::SomeInt(Some(number)) => {
                    write_element(out, &number.to_be_bytes())?;
                }
                Value::Flag(flag) => write_element(out, &[u8::from(*flag)])?,
                Value::Text(text) | Value::SomeText(Some(text)) => {
                    write_element(out, text.as_bytes())?;
                }
                Value::Bytes(bytes) => write_element(out, bytes)?,
                Value::SomeInt(None) | Value::SomeText(None) => {
                    out.write_all(&LENGTH_OF_NULL.to_be_bytes())?;
                }
            }
        }
        Ok(IsNull::No)
    }
}

fn write_element(
    out: &mut Output<'_, '_, Pg>,
    bytes: &[u8],
) -> std::result::Result<(), Box<dyn Error + Send + Sync>> {
    out.write_all(&i32::try_from(bytes.len())?.to_be_bytes())?;
    out.write_all(bytes)?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_have_the_values_of_their_index() {
        let values = [
            Value::Int(1),
            Value::SomeText(None),
            Value::Int(2),
            Value::SomeText(Some("b".into())),
        ];
        let columns = Column::all(&values, 2);
        let kinds: Vec<ColumnType> = columns.iter().map(Column::kind).collect();
        assert_eq!(kinds, [ColumnType::Int, ColumnType::Text]);
        let elements: Vec<&Value<'_>> = columns.iter().flat_map(Column::elements).collect();
        assert!(matches!(
            elements[..],
            [Value::Int(1), Value::Int(2), Value::SomeText(None), Value::SomeText(Some(_))]
        ));
        assert!(Column::all(&[], 2).is_empty());
    }
}
