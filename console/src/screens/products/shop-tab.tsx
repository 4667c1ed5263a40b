import { Link } from '@tanstack/react-router'
import { useState, useSyncExternalStore } from 'react'
import { type Item, valueAt } from '../../api/objects.ts'
import { useRights } from '../../api/rights.ts'
import { Money } from '../../fields/money.tsx'
import { Reference } from '../../fields/reference.tsx'
import { Button } from '../../parts/button.tsx'
import { faultTexts } from '../../parts/faults.tsx'
import { Notice } from '../../parts/notice.tsx'
import type { TabProps } from '../../records/record-parts.ts'
import { labelOf } from '../../words/labels.ts'
import { zoneStore } from '../../words/times.ts'
import { screenWords, words } from '../../words/words.ts'
import css from './products.module.css'
import { type Gate, gatesIn, guest, headersOf, mendOf, outcomeOf, priceIn, type Shopper } from './shop.ts'
import { ShopperForm } from './shopper-form.tsx'
import { type ShopAnswer, useShop } from './use-shop.ts'

/** Whether a shopper sees a product and can buy it: each condition with what mends it. */
export function ShopTab({ itemPath }: TabProps) {
  const { shop } = screenWords.products
  const rights = useRights()
  const zone = useSyncExternalStore(zoneStore.subscribe, zoneStore.get)
  const [shopper, setShopper] = useState(guest)
  const [wanted, setWanted] = useState<string>()
  const { data, error, isPlaceholderData, refetch } = useShop(itemPath, headersOf(shopper, zone.name), wanted)
  const missing = ['read visibility', 'read catalog', 'read catalogs'].find((right) => !rights.may(right))
  if (rights.isKnown && missing)
    return <Notice sign="⊘" title={shop.noRight} about={words.rights.missing(missing, rights.role ?? '')} />
  return (
    <>
      <ShopperForm
        {...{ shopper, zone, catalogId: wanted }}
        catalogs={data?.catalogs ?? []}
        onChange={(next, catalogId) => {
          setShopper(next)
          setWanted(catalogId)
        }}
        onAgain={() => void refetch()}
      />
      {error ? (
        <Notice sign="⚠" title={shop.failed} about={faultTexts(error).join(' ')}>
          <Button onClick={() => void refetch()}>{words.retry}</Button>
        </Notice>
      ) : data ? (
        <div data-old={isPlaceholderData} className={css.answer}>
          <Answer {...{ itemPath, shopper }} answer={data} />
        </div>
      ) : (
        <p role="status">{words.loading}</p>
      )}
    </>
  )
}

interface AnswerProps {
  readonly itemPath: string
  readonly shopper: Shopper
  readonly answer: ShopAnswer
}

function Answer({ itemPath, shopper, answer }: AnswerProps) {
  const { shop } = screenWords.products
  const { catalogId, chosenId, visibility, product } = answer
  if (!visibility || catalogId === undefined)
    return (
      <Notice sign="∅" title={shop.noCatalog} about={shop.noCatalogAbout}>
        <Link to="/$" params={{ _splat: 'catalogs' }} search={{ form: 'new', back: itemPath }}>
          {shop.newCatalog}
        </Link>
      </Notice>
    )
  const gates = gatesIn(visibility)
  const outcome = outcomeOf(visibility)
  const isWaiting = gates.some(({ state }) => state === 'later')
  return (
    <>
      <section className={css.outcome} data-outcome={outcome} aria-labelledby="outcome">
        <h2 id="outcome">{shop.outcomes[outcome](shop.kinds[shopper.kind])}</h2>
        {visibility.purchasable === true && isWaiting && <p>{shop.waiting}</p>}
        {chosenId === catalogId && <Price product={product} />}
      </section>
      <h3>
        {shop.gatesIn} <Reference type="catalog" id={catalogId} />
      </h3>
      <ol className={css.gates}>
        {gates.map((gate) => (
          <GateRow key={gate.check} {...{ gate, itemPath, catalogId }} />
        ))}
      </ol>
      <WhyCatalog answer={answer} />
    </>
  )
}

function Price({ product }: { readonly product: Item | undefined }) {
  const { shop } = screenWords.products
  const price = priceIn(product)
  if (!price) return null
  return (
    <p>
      <strong>
        <Money amount={price.amount} currency={price.currency} />
      </strong>
      {price.pricebookId && (
        <>
          {' '}
          {shop.fromBook} <Reference type="pricebook" id={price.pricebookId} />
        </>
      )}
      {price.sale !== undefined && <> · {shop.inSale(price.sale)}</>}
    </p>
  )
}

const signs = { open: '✓', closed: '✗', later: '◷' } as const

interface GateProps {
  readonly gate: Gate
  readonly itemPath: string
  readonly catalogId: string
}

function GateRow({ gate, itemPath, catalogId }: GateProps) {
  const { shop } = screenWords.products
  const rights = useRights()
  const mend = gate.state === 'open' ? undefined : mendOf(gate, itemPath, catalogId)
  return (
    <li data-state={gate.state}>
      <span className={css.sign} aria-hidden="true">
        {signs[gate.state]}
      </span>
      <div>
        <h4>
          {shop.checks[gate.check] ?? labelOf(gate.check)}
          <span className="readersOnly">: {shop.states[gate.state]}</span>
        </h4>
        <p>{shop.verdicts[gate.verdict] ?? <bdi>{gate.detail}</bdi>}</p>
        {mend &&
          (rights.may(mend.right) ? (
            <Link to="/$" params={{ _splat: mend.path.slice(1) }} search={mend.search}>
              {shop.mends[mend.name]}
            </Link>
          ) : (
            rights.role && <p className={css.dim}>{words.rights.missing(mend.right, rights.role)}</p>
          ))}
      </div>
    </li>
  )
}

/** Why the rules have chosen a catalog for the shopper, and no other one. */
function WhyCatalog({ answer: { rules, chosenId } }: { readonly answer: ShopAnswer }) {
  const { shop } = screenWords.products
  if (chosenId === undefined) return null
  return (
    <details className={css.why}>
      <summary>{shop.whyCatalog}</summary>
      <p>
        {shop.sees} <Reference type="catalog" id={chosenId} />
        {rules.length === 0 && <> {shop.noRules}</>}
      </p>
      <ul>
        {rules.map((rule) => (
          <li key={String(rule.rule_id)} data-chosen={rule.chosen === true}>
            <Link to="/$" params={{ _splat: `catalogs/rules/${String(rule.rule_id)}` }}>
              <bdi>{String(rule.name)}</bdi>
            </Link>
            : {shop.reasons[String(rule.reason)] ?? labelOf(String(rule.reason))}
            <Criteria title={shop.unmatched} names={rule.unmatched} />
            {typeof valueAt(rule, 'conflicts_with.name') === 'string' && (
              <>
                {' '}
                <bdi>{String(valueAt(rule, 'conflicts_with.name'))}</bdi>
              </>
            )}
          </li>
        ))}
      </ul>
    </details>
  )
}

function Criteria({ title, names }: { readonly title: string; readonly names: unknown }) {
  const { criteria } = screenWords.products.shop
  if (!Array.isArray(names) || names.length === 0) return null
  return (
    <>
      {' '}
      {title} {names.map((name) => criteria[String(name)] ?? labelOf(String(name))).join(', ')}.
    </>
  )
}
