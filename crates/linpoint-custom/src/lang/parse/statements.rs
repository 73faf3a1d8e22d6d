//! Statements: blocks, loops, assignments.

use super::super::ast::{Expr, Op, Stmt, Target};
use super::super::fault::{Outcome, Pos, fault};
use super::super::lex::Token;
use super::Parser;

impl Parser {
    pub(super) fn block(&mut self) -> Outcome<Vec<Stmt>> {
        if *self.peek() != Token::Newline {
            return self.simple_statements();
        }
        self.at += 1;
        if *self.peek() != Token::Indent {
            return self.unexpected("an indented line");
        }
        self.at += 1;
        let mut body = Vec::new();
        while *self.peek() != Token::Dedent {
            if self.is("def") {
                return fault(self.pos(), "functions are defined at the top level, not in a block");
            }
            body.extend(self.statement()?);
        }
        self.at += 1;
        Ok(body)
    }

    pub(super) fn statement(&mut self) -> Outcome<Vec<Stmt>> {
        self.deeper(|parser| match parser.peek() {
            Token::Sign("if") => Ok(vec![parser.choice()?]),
            Token::Sign("for") => Ok(vec![parser.for_loop()?]),
            Token::Sign("while") => Ok(vec![parser.while_loop()?]),
            Token::Indent => fault(parser.pos(), "this line is indented for no reason"),
            _ => parser.simple_statements(),
        })
    }

    fn choice(&mut self) -> Outcome<Stmt> {
        let mut branches = Vec::new();
        let mut otherwise = Vec::new();
        self.expect("if")?;
        loop {
            let condition = self.expression()?;
            self.expect(":")?;
            branches.push((condition, self.block()?));
            if !self.accept("elif") {
                break;
            }
        }
        if self.accept("else") {
            self.expect(":")?;
            otherwise = self.block()?;
        }
        Ok(Stmt::If(branches, otherwise))
    }

    fn for_loop(&mut self) -> Outcome<Stmt> {
        let pos = self.pos();
        self.expect("for")?;
        let target = self.targets(false)?;
        self.expect("in")?;
        let over = self.expression_list()?;
        self.expect(":")?;
        self.loops += 1;
        let body = self.block()?;
        self.loops -= 1;
        Ok(Stmt::For(target, over, body, pos))
    }

    fn while_loop(&mut self) -> Outcome<Stmt> {
        let pos = self.pos();
        self.expect("while")?;
        let condition = self.expression()?;
        self.expect(":")?;
        self.loops += 1;
        let body = self.block()?;
        self.loops -= 1;
        Ok(Stmt::While(condition, body, pos))
    }

    fn simple_statements(&mut self) -> Outcome<Vec<Stmt>> {
        let mut statements = vec![self.simple_statement()?];
        while self.accept(";") {
            if *self.peek() == Token::Newline {
                break;
            }
            statements.push(self.simple_statement()?);
        }
        match self.next() {
            Token::Newline => Ok(statements),
            _ => {
                self.at -= 1;
                self.unexpected("the end of the line")
            }
        }
    }

    fn simple_statement(&mut self) -> Outcome<Stmt> {
        let pos = self.pos();
        if self.accept("pass") {
            return Ok(Stmt::Pass);
        }
        for (word, statement) in [("break", Stmt::Break), ("continue", Stmt::Continue)] {
            if self.accept(word) {
                return match self.loops {
                    0 => fault(pos, format!("`{word}` is not in a loop")),
                    _ => Ok(statement),
                };
            }
        }
        if self.accept("return") {
            if self.scope.is_script {
                return fault(pos, "`return` is not in a function");
            }
            let is_alone = *self.peek() == Token::Newline || self.is(";");
            return match is_alone {
                true => Ok(Stmt::Return(None)),
                false => Ok(Stmt::Return(Some(self.expression_list()?))),
            };
        }
        if self.accept("del") {
            return match self.postfix()? {
                Expr::Index(pair, pos) => Ok(Stmt::Delete(pair.0, pair.1, pos)),
                _ => fault(pos, "`del` removes an element: del things[key]"),
            };
        }
        let left = self.expression_list()?;
        if self.is("=") {
            return self.assignment(left, pos);
        }
        let update = match self.peek() {
            Token::Sign("+=") => Op::Add,
            Token::Sign("-=") => Op::Sub,
            Token::Sign("*=") => Op::Mul,
            Token::Sign("//=") => Op::Div,
            Token::Sign("%=") => Op::Mod,
            Token::Sign("|=") => Op::Or,
            Token::Sign("&=") => Op::And,
            _ => return Ok(Stmt::Expr(left)),
        };
        let at = self.pos();
        self.at += 1;
        let value = self.expression_list()?;
        match self.target(left, pos)? {
            Target::Several(..) => fault(pos, "only one variable can be updated"),
            target => Ok(Stmt::Update(target, update, value, at)),
        }
    }

    fn assignment(&mut self, left: Expr, pos: Pos) -> Outcome<Stmt> {
        self.expect("=")?;
        let value = self.expression_list()?;
        if self.is("=") {
            return fault(self.pos(), "assign one variable at a time");
        }
        Ok(Stmt::Assign(self.target(left, pos)?, value))
    }

    /// An expression as what is assigned to.
    fn target(&mut self, expr: Expr, pos: Pos) -> Outcome<Target> {
        match expr {
            Expr::Name(slot, _) => {
                self.mention(slot).assigned = true;
                Ok(Target::Name(slot))
            }
            Expr::Index(pair, pos) => Ok(Target::Index(pair, pos)),
            Expr::Tuple(items) | Expr::List(items) if !items.is_empty() => {
                let targets = items.into_iter().map(|item| self.target(item, pos));
                Ok(Target::Several(targets.collect::<Outcome<_>>()?, pos))
            }
            _ => fault(pos, "nothing can be assigned to this"),
        }
    }

    /// The variables of a loop, or of a comprehension, where they are not seen outside of it.
    pub(super) fn targets(&mut self, bound: bool) -> Outcome<Target> {
        let pos = self.pos();
        let mut items = vec![self.loop_variable(bound)?];
        let mut several = false;
        while self.accept(",") {
            several = true;
            if self.is("in") {
                break;
            }
            items.push(self.loop_variable(bound)?);
        }
        match (items.pop(), several || !items.is_empty()) {
            (Some(only), false) => Ok(only),
            (Some(last), true) => {
                items.push(last);
                Ok(Target::Several(items, pos))
            }
            (None, _) => self.unexpected("a name"),
        }
    }

    fn loop_variable(&mut self, bound: bool) -> Outcome<Target> {
        if self.accept("(") {
            let inner = self.deeper(|parser| parser.targets(bound))?;
            self.expect(")")?;
            return Ok(inner);
        }
        let pos = self.pos();
        let name = self.name()?;
        let slot = self.slot(&name, pos)?;
        match bound {
            true => self.mention(slot).bound = true,
            false => self.mention(slot).assigned = true,
        }
        Ok(Target::Name(slot))
    }
}
