//! Arguments of a call bound to the names of its parameters, as Python does it.

use ruff_python_ast as py;

use crate::context::{Context, Parsed};

/// The parameters of a function of the script modules.
pub struct Signature {
    /// What it is called in messages.
    pub name: &'static str,
    /// Parameters by position or name.
    pub positional: &'static [&'static str],
    /// Parameters by name only.
    pub keyword: &'static [&'static str],
    /// How many of the first must be there.
    pub required: usize,
}

/// The arguments in the order of the parameters, positional ones first.
pub fn bind<'a>(
    cx: &mut Context,
    call: &'a py::ExprCall,
    signature: &Signature,
) -> Parsed<Vec<Option<&'a py::Expr>>> {
    let Signature { name, positional, keyword, required } = signature;
    let mut bound: Vec<Option<&py::Expr>> = vec![None; positional.len() + keyword.len()];
    for (index, argument) in call.arguments.args.iter().enumerate() {
        let span = cx.span(argument);
        if argument.is_starred_expr() {
            return Err(cx.error(span, format!("unsupported: `*` argument of `{name}`")));
        }
        if index >= positional.len() {
            let found = call.arguments.args.len();
            let most = positional.len();
            return Err(cx.error_with(
                span,
                format!("`{name}` takes at most {most} positional arguments, found {found}"),
                expected(signature),
            ));
        }
        bound[index] = Some(argument);
    }
    for argument in &call.arguments.keywords {
        let span = cx.span(argument);
        let Some(arg) = &argument.arg else {
            return Err(cx.error(span, format!("unsupported: `**` argument of `{name}`")));
        };
        let names = positional.iter().chain(*keyword);
        let Some(index) = names.clone().position(|parameter| *parameter == arg.as_str()) else {
            return Err(cx.error_with(
                span,
                format!("`{name}` has no argument `{arg}`"),
                expected(signature),
            ));
        };
        if bound[index].is_some() {
            return Err(cx.error(span, format!("argument `{arg}` of `{name}` is given twice")));
        }
        bound[index] = Some(&argument.value);
    }
    if let Some(missing) = (0..*required).find(|&index| bound[index].is_none()) {
        let span = cx.span(call);
        let missing = positional[missing];
        return Err(cx.error_with(
            span,
            format!("`{name}` needs an argument `{missing}`"),
            expected(signature),
        ));
    }
    Ok(bound)
}

fn expected(signature: &Signature) -> String {
    let names: Vec<&str> = signature.positional.iter().chain(signature.keyword).copied().collect();
    match names.is_empty() {
        true => "it takes none".into(),
        false => format!("it takes {}", names.join(", ")),
    }
}
