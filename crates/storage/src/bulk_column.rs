//! One column of rows that stand row after row, as an array of PostgreSQL. It is written straight
//! into the message to the server, in the binary form of arrays: how many dimensions, flags, the
//! type, and the length and first subscript of the one dimension; then each element behind its
//! length.

use std::error::Error;
use std::io::Write;

use diesel::pg::Pg;
use diesel::serialize::{IsNull, Output, Result, ToSql};
use diesel::sql_types::{Array, HasSqlType, Nullable};

use crate::sql::Value;

const DIMENSIONS: i32 = 1;
/// Whether there are nulls. PostgreSQL looks for itself.
const FLAGS: i32 = 0;
const FIRST_SUBSCRIPT: i32 = 1;
const LENGTH_OF_NULL: i32 = -1;

/// What the values of a column are.
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

/// A column of rows.
#[derive(Debug)]
pub(crate) struct Column<'a> {
    kind: ColumnType,
    /// Row after row.
    values: &'a [Value<'a>],
    /// How many of them are a row.
    width: usize,
    /// Which of a row is meant.
    place: usize,
}

impl<'a> Column<'a> {
    /// The columns of rows with so many values each.
    pub(crate) fn all(values: &'a [Value<'a>], width: usize) -> Vec<Self> {
        let column = |(place, first)| Self { kind: ColumnType::of(first), values, width, place };
        values.iter().take(width).enumerate().map(column).collect()
    }

    pub(crate) const fn kind(&self) -> ColumnType {
        self.kind
    }

    fn elements(&self) -> impl ExactSizeIterator<Item = &'a Value<'a>> {
        self.values.iter().skip(self.place).step_by(self.width)
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
    fn columns_have_the_values_of_their_place() {
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
