//! Tokens to a tree.
//!
//! Every name of a function has a slot. Names that the function does not assign mean something global or
//! built in; what, is known when the whole script has been read.

use super::ast::{
    Call, Clause, Comprehension, Expr, Function, Kind, Literal, Method, Op, Outer, Program, Slice,
    Stmt, Target,
};
use super::builtins::Builtin;
use super::fault::{Outcome, Pos, fault};
use super::lex::{Token, tokens};
use super::methods;

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

/// A named argument of a call.
type Named = (Box<str>, Expr);

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

    fn block(&mut self) -> Outcome<Vec<Stmt>> {
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

    fn statement(&mut self) -> Outcome<Vec<Stmt>> {
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
    fn targets(&mut self, bound: bool) -> Outcome<Target> {
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

    /// `a, b` is a tuple.
    fn expression_list(&mut self) -> Outcome<Expr> {
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

    fn expression(&mut self) -> Outcome<Expr> {
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

    fn postfix(&mut self) -> Outcome<Expr> {
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
