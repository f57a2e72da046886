// The page of a record.
import { start } from "./main.js";
import { Record } from "./record.js";

const record = Record.from(document);
if (record && record.rows) start(record);
else document.body.replaceChildren("This page holds no record: it is what `stickslip view` puts one into.");
