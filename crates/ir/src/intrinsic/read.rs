//! Reads rows of the table; its own head says how they are written.

use wavemark_target::{InstFeature, Property};

use super::{Barrier, Class, Intrinsic, Lanes, Marks, Memory, Need, Param, Shape, Spaces, Values};
use crate::types::TypeKind;

/// Each row, or what is wrong with it.
pub(super) fn rows(text: &'static str) -> impl Iterator<Item = Result<Intrinsic, String>> {
    let lines =
        text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty() && !line.starts_with('#'));
    lines.map(|(number, line)| row(line).map_err(|error| format!("line {}: {error}", number + 1)))
}

fn row(line: &'static str) -> Result<Intrinsic, String> {
    let columns: Vec<&str> = line.split('|').map(str::trim).collect();
    let &[name, overloads, signature, attributes] = columns.as_slice() else {
        return Err("a row has four columns".to_owned());
    };
    let mut letters = Vec::new();
    let mut classes = Vec::new();
    for overload in overloads.split_whitespace() {
        let (letter, class) = overload.split_once(':').ok_or("an overloaded type is LETTER:CLASS")?;
        letters.push(letter);
        classes.push(match class {
            "any" => Class::Any,
            "int" => Class::Int,
            "float" => Class::Float,
            "num" => Class::Num,
            "data" => Class::Data,
            "ptr" => Class::Ptr,
            _ => return Err(format!("`{class}` is no class of types")),
        });
    }
    let (result, rest) = split_result(signature)?;
    let params = rest.strip_suffix(')').ok_or("a signature ends with a parenthesis")?;
    let mut intrinsic = Intrinsic {
        name,
        overloads: classes,
        result: shape(result, &letters)?,
        params: words(params).into_iter().map(|text| param(text, &letters)).collect::<Result<_, _>>()?,
        memory: Memory::default(),
        convergent: false,
        lanes: Lanes::AsOperands,
        asynchronous: None,
        marks: None,
        barrier: None,
        counter: None,
        needs: Vec::new(),
        wave: None,
    };
    let mut memory_said = false;
    for attribute in words(attributes) {
        memory_said |= apply(&mut intrinsic, attribute)?;
    }
    if memory_said { Ok(intrinsic) } else { Err("it does not say how it accesses memory".to_owned()) }
}

/// The result, and what is behind the parenthesis that opens the parameters.
fn split_result(signature: &'static str) -> Result<(&'static str, &'static str), String> {
    // `bool(T)(…)`, `elt(T)(…)`, `{T bool(T)}(…)`.
    let mut depth = 0;
    for (at, byte) in signature.bytes().enumerate() {
        match byte {
            b'{' => depth += 1,
            b'}' => depth -= 1,
            b'(' if depth == 0 && !signature[..at].ends_with("bool") && !signature[..at].ends_with("elt") => {
                return Ok((&signature[..at], &signature[at + 1..]));
            }
            _ => {}
        }
    }
    Err("a signature is RESULT(PARAMETERS)".to_owned())
}

/// Words with blanks between them; blanks in parentheses divide none.
fn words(text: &'static str) -> Vec<&'static str> {
    let (mut words, mut depth, mut start) = (Vec::new(), 0, 0);
    for (at, byte) in text.bytes().enumerate() {
        match byte {
            b'(' => depth += 1,
            b')' => depth -= 1,
            b' ' if depth == 0 => {
                words.push(&text[start..at]);
                start = at + 1;
            }
            _ => {}
        }
    }
    words.push(&text[start..]);
    words.retain(|word| !word.is_empty());
    words
}

/// Whether the attribute says how memory is accessed.
fn apply(intrinsic: &mut Intrinsic, attribute: &'static str) -> Result<bool, String> {
    if let Some((access, spaces)) = attribute.split_once('(') {
        let spaces = spaces.strip_suffix(')').ok_or("address spaces end with a parenthesis")?;
        let spaces = match spaces {
            "any" => Spaces::OfOperands,
            _ => {
                let numbers = spaces.split_whitespace().map(str::parse).collect::<Result<Vec<u32>, _>>();
                Spaces::Listed(numbers.map_err(|_| format!("`{spaces}` are no address spaces"))?)
            }
        };
        match access {
            "read" => intrinsic.memory.reads = spaces,
            "write" => intrinsic.memory.writes = spaces,
            "rw" => (intrinsic.memory.reads, intrinsic.memory.writes) = (spaces.clone(), spaces),
            _ => return Err(format!("`{attribute}` is no attribute")),
        }
        return Ok(true);
    }
    if let Some((key, value)) = attribute.split_once('=') {
        match key {
            "async" => intrinsic.asynchronous = Some(value),
            "barrier" => {
                let role = Barrier::named(value);
                intrinsic.barrier =
                    Some(role.ok_or_else(|| format!("`{value}` is nothing that is done with a barrier"))?);
            }
            "counter" => intrinsic.counter = Some(value),
            "wave" => intrinsic.wave = Some(value.parse().map_err(|_| "a wave has a number of lanes")?),
            "needs" => {
                for name in value.split('/') {
                    let feature = InstFeature::by_name(name).map(Need::Feature);
                    let property = || property(name).map(Need::Property);
                    let need = feature.or_else(property);
                    intrinsic
                        .needs
                        .push(need.ok_or_else(|| format!("`{name}` is no feature of a processor"))?);
                }
            }
            _ => return Err(format!("`{attribute}` is no attribute")),
        }
        return Ok(false);
    }
    match attribute {
        "pure" => return Ok(true),
        "order" => {
            intrinsic.memory.ordered = true;
            return Ok(true);
        }
        "marks" => intrinsic.marks = Some(Marks::Put),
        "awaits-marks" => intrinsic.marks = Some(Marks::Await),
        "convergent" => intrinsic.convergent = true,
        "lane" => intrinsic.lanes = Lanes::Divergent,
        "uniform" => intrinsic.lanes = Lanes::Uniform,
        _ => return Err(format!("`{attribute}` is no attribute")),
    }
    Ok(false)
}

/// The property whose constant is spelled so, in small letters and with dashes.
fn property(name: &str) -> Option<Property> {
    Property::from_name(&name.to_ascii_uppercase().replace('-', "_"))
}

fn param(text: &str, letters: &[&str]) -> Result<Param, String> {
    let Some((ty, values)) = text.split_once('!') else {
        return Ok(Param { shape: shape(text, letters)?, immediate: None });
    };
    let values = match values.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')) {
        None if values.is_empty() => Values::Any,
        None => return Err(format!("`{values}` are no values of an immediate")),
        Some(inner) => {
            let number = |text: &str| text.parse::<u64>().map_err(|_| format!("`{text}` is no number"));
            match inner.split_once('-') {
                Some((low, high)) => Values::Range(number(low)?, number(high)?),
                None => Values::Listed(inner.split(',').map(number).collect::<Result<_, _>>()?),
            }
        }
    };
    Ok(Param { shape: shape(ty, letters)?, immediate: Some(values) })
}

fn shape(text: &str, letters: &[&str]) -> Result<Shape, String> {
    let overload = |letter: &str| letters.iter().position(|known| *known == letter);
    if let Some(index) = overload(text) {
        return Ok(Shape::Overload(index));
    }
    let of =
        |prefix: &str| text.strip_prefix(prefix)?.strip_prefix('(')?.strip_suffix(')').and_then(overload);
    if let Some(index) = of("bool") {
        return Ok(Shape::Bool(index));
    }
    if let Some(index) = of("elt") {
        return Ok(Shape::Element(index));
    }
    if let Some(inner) = text.strip_prefix('{').and_then(|rest| rest.strip_suffix('}')) {
        return Ok(Shape::Struct(
            inner.split_whitespace().map(|text| shape(text, letters)).collect::<Result<_, _>>()?,
        ));
    }
    if text == "void" {
        return Ok(Shape::Void);
    }
    if let Some(rest) = text.strip_prefix('v') {
        let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
        let count = rest[..digits].parse().map_err(|_| format!("`{text}` is no type"))?;
        return Ok(Shape::Vector(count, scalar(&rest[digits..])?));
    }
    Ok(Shape::Exact(scalar(text)?))
}

fn scalar(text: &str) -> Result<TypeKind, String> {
    let number = |prefix: char| text.strip_prefix(prefix).and_then(|rest| rest.parse().ok());
    Ok(match text {
        "f16" => TypeKind::Half,
        "bf16" => TypeKind::BFloat,
        "f32" => TypeKind::Float,
        "f64" => TypeKind::Double,
        "token" => TypeKind::Token,
        "metadata" => TypeKind::Metadata,
        _ => match (number('i'), number('p')) {
            (Some(bits), _) => TypeKind::Int(bits),
            (_, Some(space)) => TypeKind::Pointer(space),
            _ => return Err(format!("`{text}` is no type")),
        },
    })
}
