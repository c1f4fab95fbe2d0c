import type { Order } from "../db/orders.js";

export interface Mail {
  to: string;
  subject: string;
  body: string;
}

/** What a customer pays, for people. */
export function price(cents: number): string {
  return `${(cents / 100).toFixed(2)} €`;
}

/** The mail that confirms a payment. */
export function receipt(order: Order): Mail {
  return {
    to: order.email,
    subject: `Your order ${order.id}`,
    body: `Thank you! We received ${price(order.cents)}.`,
  };
}
