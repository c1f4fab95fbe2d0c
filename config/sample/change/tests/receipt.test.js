import assert from "node:assert/strict";
import { test } from "node:test";
import { price } from "../src/mail/messages.js";

test("prices have two decimals", () => {
  assert.equal(price(1250), "12.50 €");
});
