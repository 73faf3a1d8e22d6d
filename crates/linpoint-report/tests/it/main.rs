//! Tests of the reports: text, JSON and JUnit, HTML pages, and pages in a real browser.

mod browser;
mod html;
mod machine;
mod more_pages;
mod plot;
mod pointer;
mod support;
mod text;
