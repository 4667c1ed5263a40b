import type { World } from '../../support/world.ts'

const jobsThatRead = `task_id IN (SELECT id FROM graphile_worker._private_tasks
  WHERE identifier IN ('transactions:follow-payment', 'payments:follow-cart-payment'))`

/** Runs the jobs now that read payments, and intents of carts and orders, later: those of one gateway, or all. */
export const readNow = (world: World, gateway?: string) =>
  world.sql(
    `UPDATE graphile_worker._private_jobs SET run_at = now() WHERE locked_at IS NULL AND ${jobsThatRead}
       AND ($1::text IS NULL OR payload->'payload'->>'gateway' = $1)`,
    [gateway ?? null],
  )

/** Forgets them, so that no job calls Stripe in a later test. */
export const readNever = (world: World) =>
  world.sql(`DELETE FROM graphile_worker._private_jobs WHERE locked_at IS NULL AND ${jobsThatRead}`)

/** Makes a payment or an order older. */
export async function age(
  world: World,
  table: 'order_transactions' | 'orders',
  id: string,
  hours: number,
): Promise<void> {
  const { rows } = await world.sql(`SELECT created_at FROM ${table} WHERE id = $1`, [id])
  const older = new Date(rows[0].created_at.getTime() - hours * 3_600_000)
  await world.sql(`UPDATE ${table} SET created_at = $2 WHERE id = $1`, [id, older])
}
