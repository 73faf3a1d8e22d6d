//! Statements.

use super::super::ast::{Expr, Function, Op, Stmt, Target};
use super::super::fault::{Outcome, Pos, fault};
use super::super::ops;
use super::super::value::Val;
use super::{Flow, Frame, Run};

impl<'p> Run<'p> {
    pub(super) fn block(
        &mut self,
        body: &'p [Stmt],
        function: &'p Function,
        frame: &mut Frame,
    ) -> Outcome<Flow> {
        for statement in body {
            match self.execute(statement, function, frame)? {
                Flow::Next => {}
                flow => return Ok(flow),
            }
        }
        Ok(Flow::Next)
    }

    pub(super) fn execute(
        &mut self,
        statement: &'p Stmt,
        function: &'p Function,
        frame: &mut Frame,
    ) -> Outcome<Flow> {
        self.spend(1, Pos::default())?;
        match statement {
            Stmt::Expr(expr) => drop(self.eval(expr, function, frame)?),
            Stmt::Assign(target, value) => {
                let value = self.eval(value, function, frame)?;
                self.assign(target, value, function, frame)?;
            }
            Stmt::Update(target, op, value, pos) => {
                self.update(target, *op, value, *pos, function, frame)?;
            }
            Stmt::Delete(of, key, pos) => {
                let of = self.eval(of, function, frame)?;
                let key = self.eval(key, function, frame)?;
                ops::delete(&of, &key).or_else(|message| fault(*pos, message))?;
            }
            Stmt::If(branches, otherwise) => {
                for (condition, body) in branches {
                    if self.eval(condition, function, frame)?.is_true() {
                        return self.block(body, function, frame);
                    }
                }
                return self.block(otherwise, function, frame);
            }
            Stmt::For(target, over, body, pos) => {
                let over = self.eval(over, function, frame)?;
                return self.for_loop(target, &over, body, *pos, function, frame);
            }
            Stmt::While(condition, body, pos) => {
                while self.eval(condition, function, frame)?.is_true() {
                    self.spend(1, *pos)?;
                    match self.block(body, function, frame)? {
                        Flow::Next | Flow::Continue => {}
                        Flow::Break => break,
                        flow @ Flow::Return(_) => return Ok(flow),
                    }
                }
            }
            Stmt::Return(None) => return Ok(Flow::Return(Val::None)),
            Stmt::Return(Some(value)) => {
                return Ok(Flow::Return(self.eval(value, function, frame)?));
            }
            Stmt::Break => return Ok(Flow::Break),
            Stmt::Continue => return Ok(Flow::Continue),
            Stmt::Pass => {}
            Stmt::Def(global, function) => frame[*global as usize] = Val::Function(*function),
        }
        Ok(Flow::Next)
    }

    fn for_loop(
        &mut self,
        target: &'p Target,
        over: &Val,
        body: &'p [Stmt],
        pos: Pos,
        function: &'p Function,
        frame: &mut Frame,
    ) -> Outcome<Flow> {
        let mut left = Flow::Next;
        self.iterate(over, pos, &mut |run, item| {
            run.assign(target, item, function, frame)?;
            match run.block(body, function, frame)? {
                Flow::Next | Flow::Continue => return Ok(true),
                Flow::Break => {}
                flow @ Flow::Return(_) => left = flow,
            }
            Ok(false)
        })?;
        Ok(left)
    }

    pub(super) fn assign(
        &mut self,
        target: &'p Target,
        value: Val,
        function: &'p Function,
        frame: &mut Frame,
    ) -> Outcome<()> {
        match target {
            Target::Name(slot) => frame[*slot as usize] = value,
            Target::Index(pair, pos) => {
                let of = self.eval(&pair.0, function, frame)?;
                let key = self.eval(&pair.1, function, frame)?;
                ops::set_item(&of, key, value).or_else(|message| fault(*pos, message))?;
            }
            Target::Several(targets, pos) => {
                let items = self.items(&value, *pos)?;
                if items.len() != targets.len() {
                    let (wanted, given) = (targets.len(), items.len());
                    return fault(*pos, format!("expected {wanted} values, not {given}"));
                }
                for (target, item) in targets.iter().zip(items) {
                    self.assign(target, item, function, frame)?;
                }
            }
        }
        Ok(())
    }

    fn update(
        &mut self,
        target: &'p Target,
        op: Op,
        value: &'p Expr,
        pos: Pos,
        function: &'p Function,
        frame: &mut Frame,
    ) -> Outcome<()> {
        let value = self.eval(value, function, frame)?;
        match target {
            Target::Name(slot) => {
                let before = self.variable(*slot, pos, function, frame)?;
                frame[*slot as usize] = self.updated(before, op, value, pos)?;
            }
            Target::Index(pair, _) => {
                let of = self.eval(&pair.0, function, frame)?;
                let key = self.eval(&pair.1, function, frame)?;
                let before = ops::item(&of, &key).or_else(|message| fault(pos, message))?;
                let after = self.updated(before, op, value, pos)?;
                ops::set_item(&of, key, after).or_else(|message| fault(pos, message))?;
            }
            Target::Several(..) => {}
        }
        Ok(())
    }

    /// `list += more` changes the list, as in Python.
    fn updated(&mut self, before: Val, op: Op, value: Val, pos: Pos) -> Outcome<Val> {
        if let (Val::List(list), Op::Add) = (&before, op) {
            let more = self.items(&value, pos)?;
            list.change().or_else(|message| fault(pos, message))?.extend(more);
            return Ok(before);
        }
        self.binary(op, &before, &value, pos)
    }
}
