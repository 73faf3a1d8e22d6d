//! Tokens to a tree.
//!
//! Every name of a function has a slot. A name that the function does not assign is global or built in. Which
//! of the two is decided at the end, when all global names are known.

use super::ast::{Expr, Function, Literal, Outer, Program, Stmt};
use super::builtins::Builtin;
use super::fault::{Outcome, Pos, fault};
use super::lex::{Token, tokens};

mod expressions;
mod statements;

/// Deeper nested expressions are an error.
const DEEPEST: u32 = 80;
/// More of anything is an error.
const MOST: usize = 1 << 16;

struct Parser {
    tokens: Vec<(Token, Pos)>,
    at: usize,
    program: Program,
    scope: Scope,
    /// How deep this place is in the tree.
    depth: u32,
    /// How many loops are around this place.
    loops: u32,
}

/// The function that is being read.
#[derive(Default)]
struct Scope {
    function: Function,
    /// For each name.
    mentions: Vec<Mention>,
    is_script: bool,
}

/// What a function does with a name.
struct Mention {
    /// Where it was mentioned first.
    pos: Pos,
    /// The function assigns it.
    assigned: bool,
    /// It is the variable of a comprehension.
    bound: bool,
}

/// Reads a script.
pub(crate) fn parse(text: &str) -> Outcome<Program> {
    let scope = Scope { is_script: true, ..Scope::default() };
    let mut parser = Parser {
        tokens: tokens(text)?,
        at: 0,
        program: Program::default(),
        scope,
        depth: 0,
        loops: 0,
    };
    // The place of the script itself.
    parser.program.functions.push(Function::default());
    let mut mentions = vec![Vec::new()];
    while *parser.peek() != Token::End {
        let statements = parser.top_level(&mut mentions)?;
        parser.scope.function.body.extend(statements);
    }
    parser.program.functions[0] = parser.scope.function;
    mentions[0] = parser.scope.mentions;
    resolve(&mut parser.program, &mentions)?;
    Ok(parser.program)
}

/// Finds out what the names mean that functions do not assign.
fn resolve(program: &mut Program, mentions: &[Vec<Mention>]) -> Outcome<()> {
    let globals = program.functions[0].names.clone();
    let is_global = |at: &usize| mentions[0][*at].assigned;
    for (function, mentions) in program.functions.iter_mut().zip(mentions) {
        for (name, mention) in function.names.iter().zip(mentions) {
            let global = globals.iter().position(|global| global == name).filter(is_global);
            function.outer.push(match (global, Builtin::of(name)) {
                _ if mention.assigned => Outer::Nothing,
                (Some(global), _) => Outer::Global(global as u32),
                (None, Some(builtin)) => Outer::Builtin(builtin),
                _ if mention.bound => Outer::Nothing,
                _ if &**name == "print" => {
                    let message = "a model cannot print; fail(\"message\") ends the check";
                    return fault(mention.pos, message);
                }
                _ => return fault(mention.pos, format!("`{name}` is not defined")),
            });
        }
    }
    Ok(())
}

impl Parser {
    fn peek(&self) -> &Token {
        self.tokens.get(self.at).map_or(&Token::End, |(token, _)| token)
    }

    fn pos(&self) -> Pos {
        self.tokens.get(self.at).map(|(_, pos)| *pos).unwrap_or_default()
    }

    fn next(&mut self) -> Token {
        let token = self.peek().clone();
        self.at += 1;
        token
    }

    fn is(&self, sign: &str) -> bool {
        matches!(self.peek(), Token::Sign(found) if *found == sign)
    }

    fn accept(&mut self, sign: &str) -> bool {
        let found = self.is(sign);
        self.at += usize::from(found);
        found
    }

    fn expect(&mut self, sign: &str) -> Outcome<()> {
        match self.accept(sign) {
            true => Ok(()),
            false => self.unexpected(&format!("`{sign}`")),
        }
    }

    #[cold]
    fn unexpected<T>(&self, expected: &str) -> Outcome<T> {
        fault(self.pos(), format!("expected {expected}, not {}", self.peek()))
    }

    fn name(&mut self) -> Outcome<Box<str>> {
        match self.peek().clone() {
            Token::Name(name) => {
                self.at += 1;
                Ok(name)
            }
            _ => self.unexpected("a name"),
        }
    }

    fn literal(&mut self, literal: Literal) -> Outcome<Expr> {
        let literals = &mut self.program.literals;
        let at = literals.iter().position(|known| *known == literal).unwrap_or_else(|| {
            literals.push(literal);
            literals.len() - 1
        });
        if at >= MOST {
            return fault(self.pos(), "there are too many constants");
        }
        Ok(Expr::Literal(at as u32))
    }

    /// The slot of a name.
    fn slot(&mut self, name: &str, pos: Pos) -> Outcome<u32> {
        let Scope { function, mentions, .. } = &mut self.scope;
        let at = function.names.iter().position(|known| **known == *name).unwrap_or_else(|| {
            function.names.push(name.into());
            mentions.push(Mention { pos, assigned: false, bound: false });
            function.names.len() - 1
        });
        match at < MOST {
            true => Ok(at as u32),
            false => fault(pos, "there are too many names"),
        }
    }

    /// The slot of a name that is assigned here.
    fn assign(&mut self, name: &str, pos: Pos) -> Outcome<u32> {
        let slot = self.slot(name, pos)?;
        self.mention(slot).assigned = true;
        Ok(slot)
    }

    fn mention(&mut self, slot: u32) -> &mut Mention {
        &mut self.scope.mentions[slot as usize]
    }

    /// Goes one level down the tree.
    fn deeper<T>(&mut self, parse: impl FnOnce(&mut Self) -> Outcome<T>) -> Outcome<T> {
        self.depth += 1;
        if self.depth > DEEPEST {
            return fault(self.pos(), "this is nested too deeply");
        }
        let function = &mut self.scope.function;
        function.depth = function.depth.max(self.depth);
        let parsed = parse(self);
        self.depth -= 1;
        parsed
    }

    fn top_level(&mut self, mentions: &mut Vec<Vec<Mention>>) -> Outcome<Vec<Stmt>> {
        match self.is("def") {
            true => Ok(vec![self.function(mentions)?]),
            false => self.statement(),
        }
    }

    fn function(&mut self, mentions: &mut Vec<Vec<Mention>>) -> Outcome<Stmt> {
        self.expect("def")?;
        let pos = self.pos();
        let name = self.name()?;
        let global = self.assign(&name, pos)?;
        let outside = std::mem::take(&mut self.scope);
        self.scope.function.name = name;
        self.scope.function.pos = pos;
        let depth = std::mem::take(&mut self.depth);
        self.expect("(")?;
        let defaults = self.parameters()?;
        if self.accept("->") {
            self.expression()?;
        }
        self.scope.function.params = self.scope.function.names.len();
        self.expect(":")?;
        let body = self.block()?;
        let mut inside = std::mem::replace(&mut self.scope, outside);
        self.depth = depth;
        inside.function.body = body;
        inside.function.defaults = defaults;
        mentions.push(inside.mentions);
        self.program.functions.push(inside.function);
        match self.program.functions.len() <= MOST {
            true => Ok(Stmt::Def(global, self.program.functions.len() as u32 - 1)),
            false => fault(pos, "there are too many functions"),
        }
    }

    fn parameters(&mut self) -> Outcome<Vec<Expr>> {
        let mut defaults = Vec::new();
        while !self.accept(")") {
            let pos = self.pos();
            if self.is("*") || self.is("**") {
                return fault(pos, "a function has a fixed number of parameters");
            }
            let name = self.name()?;
            if self.scope.function.names.contains(&name) {
                return fault(pos, format!("the parameter `{name}` is there twice"));
            }
            self.assign(&name, pos)?;
            if self.accept(":") {
                self.annotation()?;
            }
            if self.accept("=") {
                let begin = self.pos();
                let value = self.expression()?;
                if !matches!(value, Expr::Literal(_)) {
                    return fault(
                        begin,
                        "the default must be a number, a string, True, False or None",
                    );
                }
                defaults.push(value);
            } else if !defaults.is_empty() {
                return fault(pos, "parameters without a default come first");
            }
            if !self.is(")") {
                self.expect(",")?;
            }
        }
        Ok(defaults)
    }

    /// A type, which is for people: it is skipped.
    fn annotation(&mut self) -> Outcome<()> {
        let mut open = 0;
        loop {
            match self.peek() {
                Token::Sign("," | ")" | "=") if open == 0 => return Ok(()),
                Token::Sign("[" | "(") => open += 1,
                Token::Sign("]" | ")") => open -= 1,
                Token::End | Token::Newline => return self.unexpected("a type"),
                _ => {}
            }
            self.at += 1;
        }
    }
}
