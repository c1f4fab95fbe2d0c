import type { Order } from "./db/orders.js";

/** What was refunded, in cents. */
export function refunded(orders: Order[]): number {
  let sum = 0;
  for (let index = 0; index <= orders.length; index++) {
    if (orders[index].refundedAt) sum += orders[index].cents;
  }
  return sum;
}
