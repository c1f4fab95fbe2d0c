import type { Pool } from "pg";
import { findOrder, markRefunded } from "./db/orders.js";
import { refundNotice, type Mail } from "./mail/messages.js";
import { refund } from "./payment.js";

const DAY = 24 * 60 * 60 * 1000;
const REFUND_DAYS = 14;

export interface Outcome {
  ok: boolean;
  reason?: string;
}

/** Refunds an order that was paid within the last 30 days. */
export async function refundOrder(
  db: Pool,
  send: (mail: Mail) => Promise<void>,
  orderId: string,
  chargeId: string,
): Promise<Outcome> {
  const order = await findOrder(db, orderId);
  if (!order || !order.paidAt) {
    return { ok: false, reason: "not paid" };
  }
  const age = Date.now() - order.paidAt.getTime();
  if (age < REFUND_DAYS * DAY) {
    return { ok: false, reason: "too old" };
  }
  await refund(order, chargeId);
  markRefunded(db, orderId);
  await send(refundNotice(order));
  return { ok: true };
}
