import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { send } from '../../api/client.ts'
import { type Item, pageIn, valueAt } from '../../api/objects.ts'
import { termOf } from '../../api/terms.ts'
import { Money } from '../../fields/money.tsx'
import { Reference } from '../../fields/reference.tsx'
import { Time } from '../../fields/time.tsx'
import { ageText } from '../../words/ages.ts'
import { choiceLabel } from '../../words/labels.ts'
import { screenWords } from '../../words/words.ts'
import { amountOf, buyerOf, currencyOf } from './order.ts'
import css from './orders.module.css'

/** What an order is, at a glance. */
export function OrderHead({ item }: { readonly item: Item }) {
  const { head } = screenWords.orders
  const currency = currencyOf(item)
  const owing = amountOf(item, 'balance_owing')
  const placed = String(valueAt(item, 'meta.timestamps.created_at'))
  return (
    <dl className={css.head}>
      <Fact title={head.customer}>
        <Customer order={item} />
      </Fact>
      <Fact title={head.payment}>
        <State name="payment" value={String(item.payment)} />
      </Fact>
      <Fact title={head.shipping}>
        <State name="shipping" value={String(item.shipping)} />
      </Fact>
      <Fact title={head.status}>
        <State name="status" value={String(item.status)} />
      </Fact>
      <Fact title={head.total}>
        <strong>
          <Money amount={amountOf(item, 'with_tax')} currency={currency} />
        </strong>
        {owing > 0 && (
          <div>
            <Money amount={owing} currency={currency} /> {head.owing}
          </div>
        )}
      </Fact>
      <Fact title={head.placed}>
        {ageText(placed)}
        <div className={css.dim}>
          <Time iso={placed} />
        </div>
      </Fact>
    </dl>
  )
}

const Fact = ({ title, children }: { readonly title: string; readonly children: ReactNode }) => (
  <div>
    <dt>{title}</dt>
    <dd>{children}</dd>
  </div>
)

const State = ({ name, value }: { readonly name: string; readonly value: string }) => (
  <span className={css.state} data-state={`${name}-${value}`}>
    {choiceLabel(value)}
  </span>
)

function Customer({ order }: { readonly order: Item }) {
  const { name, email, customerId, accountId } = buyerOf(order)
  return (
    <>
      {customerId === undefined ? (
        <bdi>{name}</bdi>
      ) : (
        <Link to="/$" params={{ _splat: `v2/customers/${customerId}` }}>
          <bdi>{name}</bdi>
        </Link>
      )}
      {accountId !== undefined && (
        <div>
          <Reference type="account" id={accountId} />
        </div>
      )}
      {email && (
        <div className={css.dim}>
          <bdi>{email}</bdi>
        </div>
      )}
      {email && order.anonymized !== true && <OthersOfEmail email={email} />}
    </>
  )
}

/** The way to all orders of the same email address. */
function OthersOfEmail({ email }: { readonly email: string }) {
  const filter = termOf('eq', 'email', email)
  const { data } = useQuery({
    queryKey: ['list', 'orders-of', email],
    queryFn: async ({ signal }) => {
      const query = new URLSearchParams({ filter, 'page[limit]': '1' })
      return pageIn((await send({ path: `/v2/orders?${query}`, signal })).body).total
    },
  })
  if (data === undefined || data < 2) return null
  return (
    <Link to="/$" params={{ _splat: 'v2/orders' }} search={{ filter }}>
      {screenWords.orders.head.others(data - 1)}
    </Link>
  )
}
