import type { Item } from '../../api/objects.ts'
import { screenWords } from '../../words/words.ts'
import { textOf } from './identities.ts'
import css from './identity.module.css'
import type { KnownHolder } from './use-holder.ts'

interface CostsProps {
  readonly link: Item
  readonly name: string
  readonly isOfCustomers: boolean
  /** Who loses the identity, if it is moved. */
  readonly holder: KnownHolder | undefined
}

/** What a relink costs the people whom it concerns, as the server does it. */
export function Costs({ link, name, isOfCustomers, holder }: CostsProps) {
  const { cost, costs, steps } = screenWords.identity
  const before = textOf(link, 'subject')
  const ofHolder = holder && [
    cost.loses(holder.name),
    cost.signedOut(holder.name),
    ...leftOf(holder),
    ...(isOfCustomers ? [cost.customer(holder.name)] : []),
  ]
  const ofUser = [
    cost.signedOut(name),
    ...(before ? [cost.oldSubject(before, name)] : []),
    ...(isOfCustomers ? [cost.customer(name)] : []),
    cost.recorded,
  ]
  return (
    <section aria-label={costs}>
      <h3>{costs}</h3>
      <ul className={css.costs}>
        {[...(ofHolder ?? []), ...ofUser].map((text) => (
          <li key={text}>{text}</li>
        ))}
      </ul>
      {holder && <p>{steps(holder.name, name)}</p>}
    </section>
  )
}

function leftOf({ left }: KnownHolder): readonly string[] {
  const { cost } = screenWords.identity
  if (!left) return []
  return [left.links + left.passwords > 0 ? cost.left(left.links, left.passwords) : cost.noneLeft]
}
