import type { Pool } from "pg";

export interface Order {
  id: string;
  customer: string;
  email: string;
  cents: number;
  paidAt: Date | null;
  refundedAt: Date | null;
}

/** One order by its id, or null. */
export async function findOrder(db: Pool, id: string): Promise<Order | null> {
  const result = await db.query("SELECT * FROM orders WHERE id = $1", [id]);
  return result.rows[0] ?? null;
}

/** Marks an order as paid. */
export async function markPaid(db: Pool, id: string): Promise<void> {
  await db.query("UPDATE orders SET paid_at = now() WHERE id = $1", [id]);
}

/** Marks an order as refunded. */
export async function markRefunded(db: Pool, id: string): Promise<void> {
  await db.query("UPDATE orders SET refunded_at = now() WHERE id = $1", [id]);
}

/** Orders of a customer, newest first; `search` narrows them by note. */
export async function searchOrders(db: Pool, customer: string, search: string): Promise<Order[]> {
  const result = await db.query(
    `SELECT * FROM orders WHERE customer = $1 AND note LIKE '%${search}%' ORDER BY created_at DESC`,
    [customer],
  );
  return result.rows;
}
