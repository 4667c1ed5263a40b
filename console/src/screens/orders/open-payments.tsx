import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { send } from '../../api/client.ts'
import { type Item, pageIn } from '../../api/objects.ts'
import { Money } from '../../fields/money.tsx'
import { Reference } from '../../fields/reference.tsx'
import { Time } from '../../fields/time.tsx'
import { Button } from '../../parts/button.tsx'
import { faultTexts } from '../../parts/faults.tsx'
import { Notice } from '../../parts/notice.tsx'
import { choiceLabel, labelOf } from '../../words/labels.ts'
import { screenWords, words } from '../../words/words.ts'
import css from './orders.module.css'

const path = '/v2/open-payments'

/** The payments that a person has to look at, with what to do about each. */
export function OpenPayments() {
  const { open } = screenWords.orders
  const query = useQuery({
    queryKey: ['list', path],
    queryFn: async ({ signal }) => pageIn((await send({ path, signal })).body).rows,
  })
  if (query.error)
    return (
      <Notice sign="⚠" title={words.list.failed} about={faultTexts(query.error).join(' ')}>
        <Button onClick={() => void query.refetch()}>{words.retry}</Button>
      </Notice>
    )
  if (!query.data) return <p role="status">{words.loading}</p>
  if (query.data.length === 0) return <Notice sign="✓" title={open.none} about={open.noneAbout} />
  return (
    <>
      <p className={css.dim}>
        {open.count(query.data.length)}. {open.about}
      </p>
      <ol className={css.work} aria-label={words.areas.openPayments}>
        {query.data.map((one) => (
          <OpenPayment key={`${one.reason} ${one.id}`} payment={one} />
        ))}
      </ol>
    </>
  )
}

function OpenPayment({ payment }: { readonly payment: Item }) {
  const { open } = screenWords.orders
  const { id, order_id, cart_id, reason, request, since, gateway, amount, currency, excess } = payment
  const known = open.reasons[String(reason)]
  const code = String(currency)
  return (
    <li>
      <h2>
        <Money amount={Number(amount)} currency={code} />{' '}
        {typeof order_id === 'string' ? (
          <Reference type="order" id={order_id} />
        ) : typeof cart_id === 'string' ? (
          <Link to="/$" params={{ _splat: `v2/carts/${encodeURIComponent(cart_id)}` }}>
            {open.cart(cart_id)}
          </Link>
        ) : null}
      </h2>
      <p>
        {known?.what ?? labelOf(String(reason))} {typeof request === 'string' && `(${labelOf(request)})`}
      </p>
      {known && (
        <p>
          <strong>{open.todo}:</strong> {known.todo}
        </p>
      )}
      <dl className={css.facts}>
        <div>
          <dt>{open.since}</dt>
          <dd>
            <Time iso={String(since)} />
          </dd>
        </div>
        <div>
          <dt>{open.gateway}</dt>
          <dd>{choiceLabel(String(gateway))}</dd>
        </div>
        {typeof excess === 'number' && (
          <div>
            <dt>{open.excess}</dt>
            <dd>
              <Money amount={excess} currency={code} />
            </dd>
          </div>
        )}
        <div>
          <dt>ID</dt>
          <dd>
            <code>{String(id)}</code>
          </dd>
        </div>
      </dl>
    </li>
  )
}
