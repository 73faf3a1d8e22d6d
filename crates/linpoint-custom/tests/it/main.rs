//! Models of users, without the command.

mod shapes;
