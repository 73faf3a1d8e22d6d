//! A script as a tree.

use super::fault::Pos;

/// A compiled script.
#[derive(Debug, Default)]
pub(crate) struct Program {
    /// Constants, by number.
    pub(super) literals: Vec<Literal>,
    /// Functions, by number. The first one is the script itself; its variables are the global ones.
    pub(super) functions: Vec<Function>,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Literal {
    None,
    Bool(bool),
    Int(i64),
    Str(Box<str>),
}

#[derive(Debug, Default)]
pub(super) struct Function {
    pub(super) name: Box<str>,
    pub(super) pos: Pos,
    pub(super) params: usize,
    /// The values of the last parameters if they are not given.
    pub(super) defaults: Vec<Expr>,
    /// All names that it mentions; the parameters first.
    pub(super) names: Vec<Box<str>>,
    /// What a name is that is not assigned here.
    pub(super) outer: Vec<Outer>,
    pub(super) body: Vec<Stmt>,
    /// The largest number of nested expressions and statements.
    pub(super) depth: u32,
}

/// What a name means that a function does not assign.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Outer {
    /// It is assigned in the function after all.
    Nothing,
    Global(u32),
    Builtin(super::builtins::Builtin),
}

#[derive(Debug)]
pub(super) enum Stmt {
    Expr(Expr),
    Assign(Target, Expr),
    /// `target op= value`.
    Update(Target, Op, Expr, Pos),
    Delete(Expr, Expr, Pos),
    If(Vec<(Expr, Vec<Stmt>)>, Vec<Stmt>),
    For(Target, Expr, Vec<Stmt>, Pos),
    While(Expr, Vec<Stmt>, Pos),
    Return(Option<Expr>),
    Break,
    Continue,
    Pass,
    /// Gives a global name to a function.
    Def(u32, u32),
}

#[derive(Debug)]
pub(super) enum Target {
    Name(u32),
    Index(Box<(Expr, Expr)>, Pos),
    Several(Vec<Target>, Pos),
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Op {
    Add,
    Sub,
    Mul,
    Div,
    Mod,
    Or,
    And,
    Xor,
    Shl,
    Shr,
    Eq,
    Ne,
    Lt,
    Le,
    Gt,
    Ge,
    In,
    NotIn,
}

#[derive(Debug)]
pub(super) enum Expr {
    Literal(u32),
    Name(u32, Pos),
    Binary(Op, Box<(Expr, Expr)>, Pos),
    And(Box<(Expr, Expr)>),
    Or(Box<(Expr, Expr)>),
    Not(Box<Expr>),
    Negate(Box<Expr>, Pos),
    /// Condition, then, else.
    Choice(Box<(Expr, Expr, Expr)>),
    Index(Box<(Expr, Expr)>, Pos),
    Slice(Box<Slice>, Pos),
    Call(Box<Call>, Pos),
    Method(Box<Method>, Pos),
    Tuple(Vec<Expr>),
    List(Vec<Expr>),
    Dict(Vec<(Expr, Expr)>, Pos),
    Set(Vec<Expr>, Pos),
    Comprehension(Box<Comprehension>, Pos),
}

#[derive(Debug)]
pub(super) struct Slice {
    pub(super) of: Expr,
    pub(super) begin: Option<Expr>,
    pub(super) end: Option<Expr>,
    pub(super) step: Option<Expr>,
}

#[derive(Debug)]
pub(super) struct Call {
    pub(super) function: Expr,
    pub(super) args: Vec<Expr>,
    pub(super) named: Vec<(Box<str>, Expr)>,
}

#[derive(Debug)]
pub(super) struct Method {
    pub(super) of: Expr,
    pub(super) name: super::methods::Name,
    pub(super) args: Vec<Expr>,
    pub(super) named: Vec<(Box<str>, Expr)>,
}

#[derive(Debug)]
pub(super) struct Comprehension {
    pub(super) kind: Kind,
    pub(super) clauses: Vec<Clause>,
}

#[derive(Debug)]
pub(super) enum Kind {
    List(Expr),
    Set(Expr),
    Dict(Expr, Expr),
}

#[derive(Debug)]
pub(super) enum Clause {
    For(Target, Expr, Pos),
    If(Expr),
}
