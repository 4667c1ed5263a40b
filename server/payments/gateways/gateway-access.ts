import { findByName } from '../../kernel/query/find.ts'
import type { Work } from '../../kernel/work/context.ts'
import type { GatewaySlug } from './gateway-kinds.ts'
import { gateways } from './gateways.ts'
import { openSecrets } from './sealed-secrets.ts'

/** The settings and secrets of a gateway by name, as its service needs them. Never shown. */
export interface GatewayAccess {
  readonly slug: GatewaySlug
  readonly secrets: Readonly<Record<string, string>>
  readonly stripeAccount: string | undefined
}

/** The access of the store to the service of a gateway. */
export async function accessOf(work: Work, slug: GatewaySlug): Promise<GatewayAccess> {
  const { doc, hidden } = await findByName(work, gateways, slug)
  const secrets = openSecrets(work.instance.sealKeys, hidden.sealed_secrets)
  return { slug, secrets, stripeAccount: doc.stripe_account }
}

/** The values of a secret that gateways of the store have, in one statement: whoever asks may be anyone. */
export async function secretsNamed(
  { store, instance }: Work,
  slugs: readonly GatewaySlug[],
  name: string,
): Promise<ReadonlySet<string>> {
  const rows = await store.run(
    `SELECT hidden->>'sealed_secrets' FROM gateways WHERE store_id = $1 AND slug = ANY($2::text[])`,
    slugs,
  )
  const all = rows.flatMap(([sealed]) => openSecrets(instance.sealKeys, sealed ?? undefined)[name] ?? [])
  return new Set(all)
}
