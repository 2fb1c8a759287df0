//! The one grammar, and its one parser, of thresholds, budgets, aborts and claims.
//!
//! ```text
//! statement  = relation [ "over" duration ] [ "after" duration ]
//! relation   = sum comparison sum { comparison sum }
//!            | sum "within" sum ( "±" | "+-" ) value
//! comparison = "<" | "<=" | ">" | ">=" | "==" | "!="
//! sum        = product { ( "+" | "-" ) product }           with blanks on both sides of the sign
//! product    = operand { ( "*" | "/" ) operand }           with blanks on both sides of the sign
//! operand    = "(" sum ")" | value | reference | "knee(" set ")" | "exit(" run ")"
//! reference  = [ run "." ] [ endpoint ":" ] metric
//! endpoint   = any text, to the last colon | '"' any text, "" for a mark '"'
//! metric     = time | "rtt:" time | "lag" [ ":" time ]
//!            | "failed" | "checks" | "throughput" | "rate" | "count" | "dropped"
//! time       = "p(" number ")" | "med" | "avg" | "min" | "max"
//! value      = [ "-" ] number [ unit ] | duration
//! unit       = "us" | "ms" | "s" | "m" | "h" | "%" | "/s" | "/m" | "/h"
//! run, set   = a declared name of letters, digits, "_" and "-"
//! ```
//!
//! A threshold is the statement `[ endpoint ":" ] metric comparison value` with its `over` (judge a
//! sliding window) and `after` (do not judge before); a claim is a relation. k6's
//! `http_req_duration:`*time*, `http_req_failed[:rate]`, `checks:rate`, `http_reqs:count`,
//! `http_reqs:rate` and `dropped_iterations[:count]` are read as metrics of ours.
//! A chain goes one way: `a < b <= c`, `a == b`; an endpoint that looks like something else is quoted.

use super::Scope;
use super::ast::{Comparison, Expr, Literal, Operator, Relation, Statement};
use super::atom;
use super::dimension::Dimension;
use super::error::{Fault, SyntaxError};
use super::lexer::{Placed, Token, tokens};
use super::shape;
use crate::engine::time::Ns;

/// Bytes of the longest text that is read.
const LONGEST: usize = 1_000;
/// How many parentheses may be open at once; the parser recurses for nothing else.
const DEEPEST: usize = 32;

/// An expression with what it measures and where it begins.
struct Typed {
    expr: Expr,
    dimension: Dimension,
    at: usize,
}

struct Parser<'a> {
    tokens: &'a [Placed<'a>],
    next: usize,
    end: usize,
    open: usize,
    scope: &'a Scope<'a>,
}

/// Reads `text` as what `scope` expects.
pub(super) fn parse(text: &str, scope: &Scope<'_>) -> Result<Statement, SyntaxError> {
    statement(text, scope).map_err(|fault| SyntaxError::new(text, fault))
}

fn statement(text: &str, scope: &Scope<'_>) -> Result<Statement, Fault> {
    if text.len() > LONGEST {
        let message = format!("this is longer than {LONGEST} bytes");
        return Err(Fault::new(LONGEST, message, "split it into several"));
    }
    let tokens = tokens(text)?;
    shape::check(&tokens, text.len(), scope)?;
    let mut parser = Parser { tokens: &tokens, next: 0, end: text.len(), open: 0, scope };
    let first = parser.sum()?;
    let (relation, dimension) = match parser.peek() {
        Some(Token::Within) => parser.within(first)?,
        _ => parser.chain(first)?,
    };
    let over = parser.duration_after(Token::Over)?;
    let after = parser.duration_after(Token::After)?;
    match parser.peek() {
        None => Ok(Statement { relation, dimension, over, after }),
        Some(_) => Err(parser.expected("the end or a comparison")),
    }
}

impl<'a> Parser<'a> {
    fn peek(&self) -> Option<Token<'a>> {
        self.tokens.get(self.next).map(|placed| placed.token)
    }

    fn at(&self) -> usize {
        self.tokens.get(self.next).map_or(self.end, |placed| placed.at)
    }

    fn take_if(&mut self, token: Token<'_>) -> bool {
        let found = self.peek() == Some(token);
        self.next += usize::from(found);
        found
    }

    fn expected(&self, what: &str) -> Fault {
        let (message, remedy) = match self.peek() {
            Some(Token::Equals) => {
                (format!("expected {what}"), "to compare, write == with two equals signs")
            }
            Some(Token::Close) => {
                (format!("expected {what}"), "take away this parenthesis, or open it before")
            }
            Some(_) => (
                format!("expected {what}"),
                "a sign needs a value on both sides; put an endpoint name that holds signs in \"marks\"",
            ),
            None => (
                format!("expected {what}, but the text ends"),
                "complete it, such as /search:p(95) < 150",
            ),
        };
        Fault::new(self.at(), message, remedy)
    }

    fn chain(&mut self, first: Typed) -> Result<(Relation, Dimension), Fault> {
        let (mut sides, mut signs) = (vec![first], Vec::new());
        while let Some(Token::Comparison(sign)) = self.peek() {
            if signs.last().is_some_and(|last| !same_direction(*last, sign)) {
                let remedy =
                    "order them all with < and <=, or all with > and >=, or split the claim";
                return Err(Fault::new(self.at(), "this chain changes its direction", remedy));
            }
            self.next += 1;
            signs.push(sign);
            sides.push(self.sum()?);
        }
        if signs.is_empty() {
            return Err(self.expected("a comparison (< <= > >= == !=) or within"));
        }
        let dimension = comparable(&sides)?;
        let mut sides = sides.into_iter().map(|side| side.expr);
        let first = sides.next().expect("the first side was put there");
        Ok((Relation::Chain { first, rest: signs.into_iter().zip(sides).collect() }, dimension))
    }

    fn within(&mut self, left: Typed) -> Result<(Relation, Dimension), Fault> {
        self.next += 1;
        let right = self.sum()?;
        if !self.take_if(Token::PlusMinus) {
            return Err(self.expected("± or +- and a tolerance"));
        }
        let at = self.at();
        let Some(Token::Atom(text)) = self.peek() else {
            return Err(self.expected("a tolerance such as 5% or 10ms"));
        };
        self.next += 1;
        let tolerance = atom::literal(text).map_err(|fault| fault.shifted(at))?;
        let sides = [left, right];
        let dimension = comparable(&sides)?;
        let measures = tolerance.unit.dimension();
        if tolerance.value() < 0.0 {
            return Err(Fault::new(at, "this tolerance is negative", "write it without a sign"));
        }
        // A percentage is one of the right side, whatever that measures.
        if measures != Dimension::Share && dimension.unify(measures).is_none() {
            let message =
                format!("this tolerance is {}, not {}", measures.noun(), dimension.noun());
            return Err(Fault::new(at, message, format!("write {} or 5%", dimension.example())));
        }
        let [left, right] = sides.map(|side| side.expr);
        Ok((Relation::Within { left, right, tolerance }, dimension))
    }

    fn duration_after(&mut self, word: Token<'_>) -> Result<Option<Ns>, Fault> {
        if !self.take_if(word) {
            return Ok(None);
        }
        let Some(Token::Atom(text)) = self.peek() else {
            return Err(self.expected("a duration such as 5s"));
        };
        let read = text.parse::<Ns>();
        let length = read.map_err(|error| {
            Fault::new(self.at(), error.to_string(), "here a bare number is seconds, such as 5s")
        })?;
        self.next += 1;
        Ok(Some(length))
    }

    fn sum(&mut self) -> Result<Typed, Fault> {
        let mut left = self.product()?;
        while let Some(Token::Operator(operator @ (Operator::Add | Operator::Subtract))) =
            self.peek()
        {
            let at = self.at();
            self.next += 1;
            left = combined(left, operator, at, self.product()?)?;
        }
        Ok(left)
    }

    fn product(&mut self) -> Result<Typed, Fault> {
        let mut left = self.operand()?;
        while let Some(Token::Operator(operator @ (Operator::Multiply | Operator::Divide))) =
            self.peek()
        {
            let at = self.at();
            self.next += 1;
            left = combined(left, operator, at, self.operand()?)?;
        }
        Ok(left)
    }

    fn operand(&mut self) -> Result<Typed, Fault> {
        let at = self.at();
        match self.peek() {
            Some(Token::Atom(text)) => {
                self.next += 1;
                let expr = atom::atom(text, self.scope).map_err(|fault| fault.shifted(at))?;
                Ok(Typed { dimension: leaf_dimension(&expr), expr, at })
            }
            Some(Token::Open) if self.open == DEEPEST => {
                let message = format!("more than {DEEPEST} parentheses are open");
                Err(Fault::new(at, message, "split it into several"))
            }
            Some(Token::Open) => {
                self.next += 1;
                self.open += 1;
                let inner = self.sum()?;
                if !self.take_if(Token::Close) {
                    return Err(self.expected("a closing parenthesis"));
                }
                self.open -= 1;
                Ok(Typed { at, ..inner })
            }
            _ => Err(self.expected("a value or a metric")),
        }
    }
}

/// What an expression that holds no other measures.
pub(super) fn leaf_dimension(expr: &Expr) -> Dimension {
    match expr {
        Expr::Literal(Literal { unit, .. }) => unit.dimension(),
        Expr::Metric(reference) => reference.metric.dimension(),
        Expr::Knee(_) => Dimension::Level,
        Expr::Exit(_) => Dimension::Exit,
        Expr::Binary { .. } => unreachable!("arithmetic is no leaf"),
    }
}

fn combined(left: Typed, operator: Operator, at: usize, right: Typed) -> Result<Typed, Fault> {
    let Some((dimension, _)) = left.dimension.combine(operator, right.dimension) else {
        let (a, b) = (left.dimension.noun(), right.dimension.noun());
        let message = format!("{a} {operator} {b} has no meaning");
        let remedy = "add and subtract like things; divide them; multiply by a plain number; \
                      a rate times a time is a plain number";
        return Err(Fault::new(at, message, remedy));
    };
    let expr = Expr::Binary { operator, left: Box::new(left.expr), right: Box::new(right.expr) };
    Ok(Typed { expr, dimension, at: left.at })
}

/// The dimension in which all sides are compared.
fn comparable(sides: &[Typed]) -> Result<Dimension, Fault> {
    let mut all = sides[0].dimension;
    for pair in sides.windows(2) {
        let (left, right) = (&pair[0], &pair[1]);
        let message =
            format!("{} is no match for {}", right.dimension.noun(), left.dimension.noun());
        let remedy = format!("compare {} with one, such as {}", all.noun(), all.example());
        all = all.unify(right.dimension).ok_or_else(|| Fault::new(right.at, message, remedy))?;
    }
    for side in sides {
        all.check(&side.expr).map_err(|(message, remedy)| Fault::new(side.at, message, remedy))?;
    }
    match sides.iter().any(|side| side.expr.is_measured()) {
        true => Ok(all),
        false => Err(Fault::new(
            sides[0].at,
            "nothing measured is compared here",
            "name a metric on one side, such as p(95) < 150",
        )),
    }
}

fn same_direction(a: Comparison, b: Comparison) -> bool {
    use Comparison::{Equal, Greater, GreaterOrEqual, Less, LessOrEqual};
    matches!(
        (a, b),
        (Less | LessOrEqual, Less | LessOrEqual)
            | (Greater | GreaterOrEqual, Greater | GreaterOrEqual)
            | (Equal, Equal)
    )
}
