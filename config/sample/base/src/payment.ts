import Stripe from "stripe";
import type { Order } from "./db/orders.js";

const stripe = new Stripe(process.env.STRIPE_KEY ?? "");

/** Charges an order and returns the charge's id. */
export async function charge(order: Order, source: string): Promise<string> {
  const charge = await stripe.charges.create({
    amount: order.cents,
    currency: "eur",
    source,
    metadata: { order: order.id },
  });
  return charge.id;
}
