//! A bank: money moves between accounts and is neither made nor lost.
//!
//! Transfer moves an amount and gives true. It gives false, and changes nothing, if the funds do not
//! suffice, the amount is negative, or there is no such account. Read-all gives every account with its
//! balance, in any order.
//!
//! Pending: a read has no effect and is dropped. A transfer may take effect at any time after its
//! call, or never (being refused is the same as never).

use std::collections::BTreeMap;

use super::Value;
use crate::spec::{Claims, PartView, Refutation, Spec, Traces};
use crate::verdict::{Reason, ReasonKind};
use crate::wire::{
    self, Args, BadOption, Chance, FromWire, Mismatch, ModelInfo, NamedCall, Options, Sizes,
    ToWire, args,
};

/// A bank.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Bank<A> {
    /// The accounts with their balances before the first transfer.
    pub initial: BTreeMap<A, i64>,
}

/// Operations of a [`Bank`].
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum BankOp<A> {
    /// Gives [`BankRet::Bool`].
    Transfer {
        /// The account that pays.
        from: A,
        /// The account that receives.
        to: A,
        /// How much.
        amount: i64,
    },
    /// Gives [`BankRet::Balances`].
    ReadAll,
}

/// Results of a [`Bank`].
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum BankRet<A> {
    /// Whether the money was moved.
    Bool(bool),
    /// All accounts with their balances.
    Balances(Vec<(A, i64)>),
}

use BankOp::{ReadAll, Transfer};
use BankRet::{Balances, Bool};

impl<A: Value + Ord> Bank<A> {
    fn index(&self, account: &A) -> Option<usize> {
        self.initial.keys().position(|a| a == account)
    }

    /// The balances after a transfer, unless it is refused.
    fn moved(&self, state: &[i64], from: &A, to: &A, amount: i64) -> Option<Box<[i64]>> {
        let (from, to) = (self.index(from)?, self.index(to)?);
        if amount < 0 || state[from] < amount {
            return None;
        }
        let mut after: Box<[i64]> = state.into();
        after[from] -= amount;
        after[to] = after[to].checked_add(amount)?;
        Some(after)
    }

    /// True if the list shows this state.
    fn shows(&self, state: &[i64], list: &[(A, i64)]) -> bool {
        let in_order =
            || self.initial.keys().zip(state).zip(list).all(|((a, n), l)| *a == l.0 && *n == l.1);
        let mut is_listed = vec![false; state.len()];
        let mut shows = |(account, balance): &(A, i64)| {
            let index = self.index(account).filter(|index| state[*index] == *balance);
            index.is_some_and(|index| !std::mem::replace(&mut is_listed[index], true))
        };
        list.len() == state.len() && (in_order() || list.iter().all(&mut shows))
    }

    fn list(&self, state: &[i64]) -> Vec<(A, i64)> {
        self.initial.keys().cloned().zip(state.iter().copied()).collect()
    }
}

fn total(balances: impl Iterator<Item = i64>) -> i128 {
    balances.map(i128::from).sum()
}

fn show<A: Value>(list: &[(A, i64)]) -> String {
    let each: Vec<String> = list.iter().map(|(a, n)| format!("{a:?}: {n}")).collect();
    format!("{{{}}}", each.join(", "))
}

impl<A: Value + Ord> Spec for Bank<A> {
    type Op = BankOp<A>;
    type Ret = BankRet<A>;
    /// The balances in the order of the accounts.
    type State = Box<[i64]>;

    fn initial(&self) -> Box<[i64]> {
        self.initial.values().copied().collect()
    }

    fn successors(
        &self,
        state: &Box<[i64]>,
        op: &Self::Op,
        ret: Option<&Self::Ret>,
        next: &mut Vec<Box<[i64]>>,
    ) {
        match op {
            Transfer { from, to, amount } => {
                let moved = self.moved(state, from, to, *amount);
                if ret.is_none_or(|ret| *ret == Bool(moved.is_some())) {
                    next.push(moved.unwrap_or_else(|| state.clone()));
                }
            }
            ReadAll => {
                let fits = |ret: &Self::Ret| match ret {
                    Balances(list) => self.shows(state, list),
                    Bool(_) => false,
                };
                if ret.is_none_or(fits) {
                    next.push(state.clone());
                }
            }
        }
    }

    /// The accounts may be listed in any order.
    fn fits(&self, _op: &Self::Op, exact: &Self::Ret, recorded: &Self::Ret) -> bool {
        match (exact, recorded) {
            (Balances(exact), Balances(recorded)) => {
                exact.len() == recorded.len()
                    && exact.iter().all(|balance| recorded.contains(balance))
            }
            _ => exact == recorded,
        }
    }

    fn outcomes(
        &self,
        state: &Box<[i64]>,
        op: &Self::Op,
        out: &mut Vec<(Self::Ret, Box<[i64]>)>,
    ) -> bool {
        out.push(match op {
            Transfer { from, to, amount } => match self.moved(state, from, to, *amount) {
                Some(after) => (Bool(true), after),
                None => (Bool(false), state.clone()),
            },
            ReadAll => (Balances(self.list(state)), state.clone()),
        });
        true
    }

    fn is_read(&self, op: &Self::Op, ret: Option<&Self::Ret>) -> bool {
        match op {
            ReadAll => true,
            Transfer { from, to, amount } => {
                from == to || *amount == 0 || ret == Some(&Bool(false))
            }
        }
    }

    fn claims(&self) -> Option<&dyn Claims<Self::Op, Self::Ret>> {
        Some(self)
    }

    fn wire(&self) -> Option<&dyn ToWire<Self::Op, Self::Ret>> {
        Some(self)
    }

    fn describe_ret(&self, _op: &Self::Op, ret: &Self::Ret) -> String {
        match ret {
            Bool(b) => b.to_string(),
            Balances(list) => show(list),
        }
    }

    fn describe_state(&self, state: &Box<[i64]>) -> String {
        show(&self.list(state))
    }

    fn state_bytes(&self, state: &Box<[i64]>) -> usize {
        size_of::<Box<[i64]>>() + size_of_val::<[i64]>(state)
    }
}

impl<A: Value + Ord> Claims<BankOp<A>, BankRet<A>> for Bank<A> {
    fn leaves(&self, op: &BankOp<A>) -> Traces {
        if self.is_read(op, None) { Traces::none() } else { Traces::Any }
    }

    /// A read whose balances do not add up.
    fn refute(&self, part: &PartView<'_, BankOp<A>, BankRet<A>>) -> Option<Refutation> {
        let money = total(self.initial.values().copied());
        part.iter().filter(|view| !view.span.is_pending()).find_map(|view| {
            let Some(Balances(list)) = view.ret else { return None };
            let seen = total(list.iter().map(|(_, n)| *n));
            (seen != money).then(|| Refutation {
                ops: vec![view.id],
                reason: Reason::new(ReasonKind::Total)
                    .text(format!("the balances add up to {seen}, but there is {money} in all")),
            })
        })
    }
}

impl<A: Value + Ord> ToWire<BankOp<A>, BankRet<A>> for Bank<A> {
    fn name(&self) -> &'static str {
        Bank::<wire::Value>::INFO.name
    }

    fn options(&self) -> Option<Vec<(&'static str, wire::Value)>> {
        Some(vec![("accounts", wire::object(&self.initial)?)])
    }

    fn op<'a>(&self, op: &'a BankOp<A>) -> (&'static str, Args<'a>) {
        match op {
            Transfer { from, to, amount } => ("transfer", args([from, to, amount])),
            ReadAll => ("read_all", args([])),
        }
    }

    fn ret(&self, _op: &BankOp<A>, ret: &BankRet<A>) -> Option<wire::Value> {
        match ret {
            Bool(done) => Some(wire::Value::Bool(*done)),
            Balances(list) => wire::object(list.iter().map(|(account, n)| (account, n))),
        }
    }
}

impl FromWire for Bank<wire::Value> {
    const INFO: ModelInfo = ModelInfo {
        name: "bank",
        about: "accounts between which money is moved",
        operations: &[
            "transfer(from, to, amount) -> true, or false if refused",
            "read_all() -> object of accounts with balances",
        ],
        options: &[
            "accounts={NAME: BALANCE, ...}: the accounts and their first balances (required)",
        ],
    };

    fn from_options(options: &mut Options<'_>) -> Result<Self, BadOption> {
        let accounts = options.object("accounts", wire::Value::as_int, "numbers")?;
        let missing = || BadOption::missing("a bank needs the option \"accounts\"");
        Ok(Bank { initial: accounts.ok_or_else(missing)? })
    }

    fn read_op(&self, call: &NamedCall<'_>) -> Result<Self::Op, Mismatch> {
        match call.name {
            "transfer" => {
                let (from, to, amount) = wire::three(call)?;
                let amount = wire::int_arg(amount)?;
                Ok(Transfer { from: from.clone(), to: to.clone(), amount })
            }
            "read_all" => wire::none(call).map(|()| ReadAll),
            _ => Err(Mismatch::UnknownOperation),
        }
    }

    fn read_ret(&self, op: &Self::Op, value: &wire::Value) -> Result<Self::Ret, Mismatch> {
        let bad = || wire::bad_ret("an object of accounts with balances", value);
        match (op, value) {
            (Transfer { .. }, _) => wire::bool_ret(value).map(Bool),
            (ReadAll, wire::Value::Map(entries)) => {
                let pair = |(name, n): &(wire::Thin<str>, wire::Value)| {
                    Some((wire::Value::Str(name.clone()), n.as_int()?))
                };
                entries.iter().map(pair).collect::<Option<_>>().map(Balances).ok_or_else(bad)
            }
            (ReadAll, _) => Err(bad()),
        }
    }

    fn default_options(sizes: Sizes) -> Vec<(&'static str, wire::Value)> {
        let names = (1..=sizes.keys.unwrap_or(4)).map(|i| format!("a{i}"));
        let accounts: BTreeMap<String, i64> = names.map(|name| (name, 100)).collect();
        wire::object(&accounts).map(|accounts| ("accounts", accounts)).into_iter().collect()
    }

    /// Amounts are such that some transfers are refused.
    fn draw(&self, state: &Box<[i64]>, chance: &mut dyn Chance) -> Option<Self::Op> {
        let accounts = self.initial.len() as u64;
        if accounts == 0 || chance.percent(40) {
            return Some(ReadAll);
        }
        let mut account = || self.initial.keys().nth(chance.below(accounts) as usize).cloned();
        let (from, to) = (account()?, account()?);
        let most = state.iter().copied().max().unwrap_or(0).max(1);
        let amount = 1 + chance.below(most.unsigned_abs()) as i64;
        Some(Transfer { from, to, amount })
    }

    /// Money is neither made nor lost.
    fn impossible(
        &self,
        _op: &Self::Op,
        ret: &Self::Ret,
        _never: &wire::Value,
    ) -> Option<Self::Ret> {
        let Balances(list) = ret else { return None };
        let mut list = list.clone();
        let (_, balance) = list.first_mut()?;
        *balance = balance.checked_add(1)?;
        Some(Balances(list))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::spec::claims::check_claims;
    use crate::spec::models::tests::{next, part_of, run};

    fn bank() -> Bank<char> {
        Bank { initial: [('a', 3), ('b', 1)].into() }
    }

    fn transfer(from: char, to: char, amount: i64) -> BankOp<char> {
        Transfer { from, to, amount }
    }

    #[test]
    fn sequential_semantics() {
        let ops = [
            transfer('b', 'a', 2),
            transfer('a', 'b', 2),
            transfer('a', 'c', 1),
            transfer('a', 'a', 1),
            transfer('b', 'a', -1),
            ReadAll,
        ];
        let (rets, _) = run(&bank(), &ops);
        assert_eq!(rets, ["false", "true", "false", "true", "false", "{'a': 1, 'b': 3}"]);
    }

    #[test]
    fn a_pending_transfer_moves_money_or_nothing() {
        let (spec, state) = (bank(), bank().initial());
        assert_eq!(next(&spec, &state, &transfer('b', 'a', 1), None), ["{'a': 4, 'b': 0}"]);
        assert_eq!(next(&spec, &state, &transfer('b', 'a', 2), None), ["{'a': 3, 'b': 1}"]);
        let any_order = Balances(vec![('b', 1), ('a', 3)]);
        assert_eq!(next(&spec, &state, &ReadAll, Some(&any_order)).len(), 1);
    }

    #[test]
    fn claims_hold() {
        let ops = [
            ReadAll,
            transfer('a', 'b', 2),
            transfer('b', 'a', 1),
            transfer('a', 'a', 9),
            transfer('a', 'b', 0),
        ];
        check_claims(&bank(), &ops, 1, 400).unwrap();
    }

    #[test]
    fn money_is_not_lost() {
        let h = part_of(&[(ReadAll, Balances(vec![('a', 1), ('b', 1)]))]);
        let ids: Vec<_> = h.ids().collect();
        assert_eq!(bank().refute(&PartView::new(&h, &ids)).unwrap().ops, ids);
    }
}
