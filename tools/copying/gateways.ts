import { isDeepStrictEqual } from 'node:util'
import { valuesOf } from './body.ts'
import type { Copy } from './copier.ts'
import { detailOf, type Json, pathPartOf } from './read-answer.ts'
import type { Remote } from './remote.ts'
import type { CopyPlan } from './steps.ts'
import { walk } from './walk.ts'

/** Every store has the same gateways. They have a slug in place of an id, and secrets that nobody can read. */
type GatewayPlan = CopyPlan['gateways']

const name = 'gateways'

async function gatewaysOf(remote: Remote, resource: GatewayPlan): Promise<readonly Json[]> {
  const all: Json[] = []
  for await (const gateway of walk(remote, resource.path, undefined)) all.push(gateway)
  return all
}

/** What can be set of a gateway, and whether it is enabled. */
function settingsOf(resource: GatewayPlan, gateway: Json) {
  const { slug, enabled, ...settings } = valuesOf(resource, gateway)
  // Some servers show a setting that is not set as an empty text.
  const set = Object.entries(settings).filter(([, value]) => value !== null && value !== '')
  return { slug: String(slug), enabled: enabled === true, settings: Object.fromEntries(set) }
}

/** Gives the gateways their settings. One that cannot be enabled without its secrets stays as it is. */
export async function copyGateways({ from, to, report }: Copy, resource: GatewayPlan): Promise<void> {
  const asleep: string[] = []
  for (const gateway of await gatewaysOf(from, resource)) {
    const { slug, enabled, settings } = settingsOf(resource, gateway)
    report.read(name)
    const put = (values: Json) =>
      to.send('PUT', `${resource.path}/${pathPartOf(slug)}`, { data: { type: resource.type, ...values } })
    let answer = await put({ ...settings, enabled })
    if (answer.status >= 300 && answer.status < 500 && enabled) {
      asleep.push(slug)
      answer = await put(settings)
    }
    if (answer.status >= 300) report.skip(name, detailOf(answer), slug)
    else report.changed(name)
  }
  if (asleep.length)
    report.remarks.add(
      `${name}: secrets cannot be read: set those of ${asleep.join(', ')}, and enable them on the new server`,
    )
}

/** The gateways whose settings differ. Whether one is enabled may have to differ: see `copyGateways`. */
export async function compareGateways(
  { from, to }: Copy,
  resource: GatewayPlan,
): Promise<{ readonly equal: number; readonly differences: readonly string[] }> {
  const present = new Map(
    (await gatewaysOf(to, resource)).map((gateway) => {
      const { slug, settings } = settingsOf(resource, gateway)
      return [slug, settings]
    }),
  )
  const differences: string[] = []
  let equal = 0
  for (const gateway of await gatewaysOf(from, resource)) {
    const { slug, settings } = settingsOf(resource, gateway)
    if (isDeepStrictEqual(settings, present.get(slug))) equal += 1
    else differences.push(`${resource.path}/${slug}: other settings`)
  }
  return { equal, differences }
}
