//! Expressions, from the loosest operator to the tightest.

use super::super::ast::{Call, Clause, Comprehension, Expr, Kind, Literal, Method, Op, Slice};
use super::super::fault::{Outcome, Pos, fault};
use super::super::lex::Token;
use super::super::methods;
use super::{DEEPEST, Parser};

/// A named argument of a call.
type Named = (Box<str>, Expr);

impl Parser {
    /// `a, b` is a tuple.
    pub(super) fn expression_list(&mut self) -> Outcome<Expr> {
        let first = self.expression()?;
        if !self.is(",") {
            return Ok(first);
        }
        let mut items = vec![first];
        while self.accept(",") {
            let at_end = matches!(self.peek(), Token::Newline | Token::Sign("=" | ")" | ":" | ";"));
            if at_end {
                break;
            }
            items.push(self.expression()?);
        }
        Ok(Expr::Tuple(items))
    }

    pub(super) fn expression(&mut self) -> Outcome<Expr> {
        self.deeper(|parser| {
            let then = parser.disjunction()?;
            if !parser.accept("if") {
                return Ok(then);
            }
            let condition = parser.disjunction()?;
            parser.expect("else")?;
            let otherwise = parser.expression()?;
            Ok(Expr::Choice(Box::new((condition, then, otherwise))))
        })
    }

    fn disjunction(&mut self) -> Outcome<Expr> {
        let mut left = self.conjunction()?;
        while self.accept("or") {
            left = Expr::Or(Box::new((left, self.conjunction()?)));
            self.chain()?;
        }
        Ok(left)
    }

    fn conjunction(&mut self) -> Outcome<Expr> {
        let mut left = self.negation()?;
        while self.accept("and") {
            left = Expr::And(Box::new((left, self.negation()?)));
            self.chain()?;
        }
        Ok(left)
    }

    /// A chain of operators of one kind is a tree as deep as it is long.
    fn chain(&mut self) -> Outcome<()> {
        let function = &mut self.scope.function;
        function.depth += 1;
        match function.depth > 20 * DEEPEST {
            true => fault(self.pos(), "this expression is too long"),
            false => Ok(()),
        }
    }

    fn negation(&mut self) -> Outcome<Expr> {
        match self.accept("not") {
            true => Ok(Expr::Not(Box::new(self.deeper(Parser::negation)?))),
            false => self.comparison(),
        }
    }

    fn comparison(&mut self) -> Outcome<Expr> {
        let left = self.binary(0)?;
        let pos = self.pos();
        let op = match self.peek() {
            Token::Sign("==") => Op::Eq,
            Token::Sign("!=") => Op::Ne,
            Token::Sign("<") => Op::Lt,
            Token::Sign("<=") => Op::Le,
            Token::Sign(">") => Op::Gt,
            Token::Sign(">=") => Op::Ge,
            Token::Sign("in") => Op::In,
            Token::Sign("not") => Op::NotIn,
            Token::Sign("is") => Op::Eq,
            _ => return Ok(left),
        };
        let is_identity = self.is("is");
        self.at += 1;
        let mut op = op;
        match op {
            Op::NotIn => self.expect("in")?,
            Op::Eq if is_identity && self.accept("not") => op = Op::Ne,
            _ => {}
        }
        let right = self.binary(0)?;
        if is_identity
            && !matches!(&right, Expr::Literal(at) if self.program.literals[*at as usize] == Literal::None)
        {
            return fault(pos, "`is` only compares with None; otherwise write ==");
        }
        if matches!(self.peek(), Token::Sign("==" | "!=" | "<" | "<=" | ">" | ">=" | "in" | "is")) {
            return fault(self.pos(), "compare two values at a time, and join them with `and`");
        }
        Ok(Expr::Binary(op, Box::new((left, right)), pos))
    }

    fn binary(&mut self, level: usize) -> Outcome<Expr> {
        const LEVELS: [&[(&str, Op)]; 6] = [
            &[("|", Op::Or)],
            &[("^", Op::Xor)],
            &[("&", Op::And)],
            &[("<<", Op::Shl), (">>", Op::Shr)],
            &[("+", Op::Add), ("-", Op::Sub)],
            &[("*", Op::Mul), ("//", Op::Div), ("%", Op::Mod)],
        ];
        let Some(operators) = LEVELS.get(level) else { return self.unary() };
        let mut left = self.binary(level + 1)?;
        loop {
            let pos = self.pos();
            if self.is("/") {
                return fault(pos, "numbers are whole: divide with //");
            }
            if self.is("**") {
                return fault(pos, "there is no power: multiply");
            }
            let Some((_, op)) = operators.iter().find(|(sign, _)| self.is(sign)) else {
                return Ok(left);
            };
            self.at += 1;
            let right = self.binary(level + 1)?;
            left = Expr::Binary(*op, Box::new((left, right)), pos);
            self.chain()?;
        }
    }

    fn unary(&mut self) -> Outcome<Expr> {
        let pos = self.pos();
        if self.accept("-") {
            if let Token::Int(n) = *self.peek() {
                self.at += 1;
                let literal = self.literal(Literal::Int(-n))?;
                return self.postfix_of(literal);
            }
            let inner = self.deeper(Parser::unary)?;
            return Ok(Expr::Negate(Box::new(inner), pos));
        }
        if self.accept("+") {
            return self.deeper(Parser::unary);
        }
        self.postfix()
    }

    pub(super) fn postfix(&mut self) -> Outcome<Expr> {
        let atom = self.atom()?;
        self.postfix_of(atom)
    }

    fn postfix_of(&mut self, mut of: Expr) -> Outcome<Expr> {
        loop {
            let pos = self.pos();
            if self.accept("(") {
                let (args, named) = self.deeper(Parser::arguments)?;
                of = Expr::Call(Box::new(Call { function: of, args, named }), pos);
            } else if self.accept("[") {
                of = self.deeper(|parser| parser.index(of, pos))?;
            } else if self.accept(".") {
                let at = self.pos();
                let name = self.name()?;
                let Some(method) = methods::Name::of(&name) else {
                    return fault(at, format!("no value has a method `{name}`"));
                };
                if !self.accept("(") {
                    return fault(at, format!("`{name}` is a method: call it, {name}(...)"));
                }
                let (args, named) = self.deeper(Parser::arguments)?;
                of = Expr::Method(Box::new(Method { of, name: method, args, named }), at);
            } else {
                return Ok(of);
            }
            self.chain()?;
        }
    }

    fn arguments(&mut self) -> Outcome<(Vec<Expr>, Vec<Named>)> {
        let (mut args, mut named) = (Vec::new(), Vec::new());
        while !self.accept(")") {
            let pos = self.pos();
            let is_named = matches!(self.peek(), Token::Name(_))
                && matches!(self.tokens.get(self.at + 1), Some((Token::Sign("="), _)));
            if is_named {
                let name = self.name()?;
                self.expect("=")?;
                named.push((name, self.expression()?));
            } else if !named.is_empty() {
                return fault(pos, "arguments with names come last");
            } else if self.is("*") || self.is("**") {
                return fault(pos, "arguments are given one by one");
            } else {
                let arg = self.expression()?;
                // all(x > 0 for x in xs)
                args.push(match self.is("for") {
                    true => self.comprehension(Kind::List(arg), pos)?,
                    false => arg,
                });
            }
            if !self.is(")") {
                self.expect(",")?;
            }
        }
        Ok((args, named))
    }

    fn index(&mut self, of: Expr, pos: Pos) -> Outcome<Expr> {
        let part = |parser: &mut Parser| match parser.is(":") || parser.is("]") {
            true => Ok(None),
            false => parser.expression_list().map(Some),
        };
        let begin = part(self)?;
        if self.accept("]") {
            return match begin {
                Some(index) => Ok(Expr::Index(Box::new((of, index)), pos)),
                None => fault(pos, "the index is missing"),
            };
        }
        self.expect(":")?;
        let end = part(self)?;
        let step = if self.accept(":") { part(self)? } else { None };
        self.expect("]")?;
        Ok(Expr::Slice(Box::new(Slice { of, begin, end, step }), pos))
    }

    fn atom(&mut self) -> Outcome<Expr> {
        let pos = self.pos();
        match self.next() {
            Token::Int(n) => self.literal(Literal::Int(n)),
            Token::Str(text) => {
                let mut text = text;
                while let Token::Str(more) = self.peek() {
                    text = format!("{text}{more}").into();
                    self.at += 1;
                }
                self.literal(Literal::Str(text))
            }
            Token::Name(name) => match &*name {
                "None" => self.literal(Literal::None),
                "True" => self.literal(Literal::Bool(true)),
                "False" => self.literal(Literal::Bool(false)),
                _ => Ok(Expr::Name(self.slot(&name, pos)?, pos)),
            },
            Token::Sign("(") => self.deeper(|parser| parser.parenthesised(pos)),
            Token::Sign("[") => self.deeper(|parser| parser.list(pos)),
            Token::Sign("{") => self.deeper(|parser| parser.braces(pos)),
            _ => {
                self.at -= 1;
                self.unexpected("a value")
            }
        }
    }

    fn parenthesised(&mut self, pos: Pos) -> Outcome<Expr> {
        if self.accept(")") {
            return Ok(Expr::Tuple(Vec::new()));
        }
        let inner = self.expression_list()?;
        if self.is("for") {
            let inner = self.comprehension(Kind::List(inner), pos)?;
            self.expect(")")?;
            return Ok(inner);
        }
        self.expect(")")?;
        Ok(inner)
    }

    fn list(&mut self, pos: Pos) -> Outcome<Expr> {
        let mut items = Vec::new();
        while !self.accept("]") {
            items.push(self.expression()?);
            if self.is("for") {
                if items.len() > 1 {
                    return self.unexpected("`]`");
                }
                let only = items.remove(0);
                let list = self.comprehension(Kind::List(only), pos)?;
                self.expect("]")?;
                return Ok(list);
            }
            if !self.is("]") {
                self.expect(",")?;
            }
        }
        Ok(Expr::List(items))
    }

    /// A dict or a set.
    fn braces(&mut self, pos: Pos) -> Outcome<Expr> {
        if self.accept("}") {
            return Ok(Expr::Dict(Vec::new(), pos));
        }
        let first = self.expression()?;
        if self.accept(":") {
            let value = self.expression()?;
            return self.dict(first, value, pos);
        }
        if self.is("for") {
            let set = self.comprehension(Kind::Set(first), pos)?;
            self.expect("}")?;
            return Ok(set);
        }
        let mut items = vec![first];
        while !self.accept("}") {
            self.expect(",")?;
            if !self.is("}") {
                items.push(self.expression()?);
            }
        }
        Ok(Expr::Set(items, pos))
    }

    fn dict(&mut self, key: Expr, value: Expr, pos: Pos) -> Outcome<Expr> {
        if self.is("for") {
            let dict = self.comprehension(Kind::Dict(key, value), pos)?;
            self.expect("}")?;
            return Ok(dict);
        }
        let mut entries = vec![(key, value)];
        while !self.accept("}") {
            self.expect(",")?;
            if !self.is("}") {
                let key = self.expression()?;
                self.expect(":")?;
                entries.push((key, self.expression()?));
            }
        }
        Ok(Expr::Dict(entries, pos))
    }

    fn comprehension(&mut self, kind: Kind, pos: Pos) -> Outcome<Expr> {
        let mut clauses = Vec::new();
        loop {
            let at = self.pos();
            if self.accept("for") {
                let target = self.targets(true)?;
                self.expect("in")?;
                clauses.push(Clause::For(target, self.disjunction()?, at));
            } else if self.accept("if") {
                clauses.push(Clause::If(self.disjunction()?));
            } else {
                return Ok(Expr::Comprehension(Box::new(Comprehension { kind, clauses }), pos));
            }
            self.chain()?;
        }
    }
}
