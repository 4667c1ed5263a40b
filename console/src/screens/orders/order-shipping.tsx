import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { send } from '../../api/client.ts'
import type { Action, ResourceFields } from '../../api/document.ts'
import { type Item, isItem, pageIn, valueAt } from '../../api/objects.ts'
import { useRights } from '../../api/rights.ts'
import { Money } from '../../fields/money.tsx'
import { Button } from '../../parts/button.tsx'
import { ActionWindow } from '../../records/action-window.tsx'
import { screenWords, words } from '../../words/words.ts'
import { currencyOf } from './order.ts'
import css from './orders.module.css'

interface OrderShippingProps {
  readonly order: Item
  readonly itemPath: string
  readonly fields: ResourceFields
  onDone(text: string): void
}

/** Where an order goes, and who pays for it. */
export function OrderShipping({ order, itemPath, fields, onDone }: OrderShippingProps) {
  const rights = useRights()
  const [isAdding, setAdding] = useState(false)
  const add = fields.actions?.find(isNewGroup)
  const { shipping } = screenWords.orders
  const path = `${itemPath}/shipping-groups`
  const { data } = useQuery({
    queryKey: ['item', itemPath, 'shipping-groups'],
    queryFn: async ({ signal }) => pageIn((await send({ path, signal })).body).rows,
  })
  return (
    <section aria-labelledby="shipping">
      <h2 id="shipping">{shipping.title}</h2>
      <div className={css.addresses}>
        <Address title={shipping.to} address={order.shipping_address} />
        <Address title={shipping.billing} address={order.billing_address} />
      </div>
      {data && data.length > 0 && (
        <ul className={css.lines} aria-label={shipping.groups}>
          {data.map((group) => (
            <li key={String(group.id)}>
              <div>
                <Link to="/$" params={{ _splat: `${path}/${String(group.id)}`.slice(1) }}>
                  <bdi>{String(group.shipping_type ?? shipping.oneGroup)}</bdi>
                </Link>
                {typeof group.tracking_reference === 'string' && (
                  <div>
                    {shipping.tracking}: <bdi>{group.tracking_reference}</bdi>
                  </div>
                )}
                <Address title="" address={group.address} />
              </div>
              <Money
                amount={Number(valueAt(group, 'meta.shipping_display_price.total.amount') ?? 0)}
                currency={currencyOf(order)}
              />
            </li>
          ))}
        </ul>
      )}
      {add && rights.may(add.write.right) && (
        <p>
          <Button onClick={() => setAdding(true)}>{words.list.createOne(shipping.group)}</Button>
        </p>
      )}
      {isAdding && add && (
        <ActionWindow
          action={add}
          {...{ item: order, etag: undefined, at: itemPath, name: '' }}
          onDone={() => onDone('')}
          onClose={() => setAdding(false)}
        />
      )}
    </section>
  )
}

export const isNewGroup = ({ write }: Action): boolean => write.path.endsWith('/shipping-groups')

const lines = [
  ['first_name', 'last_name'],
  ['company_name'],
  ['line_1'],
  ['line_2'],
  ['postcode', 'city'],
  ['region', 'country'],
  ['phone_number'],
  ['instructions'],
]

function Address({ title, address }: { readonly title: string; readonly address: unknown }) {
  if (!isItem(address)) return null
  const texts = lines
    .map((names) =>
      names.map((name) => address[name]).filter((part) => typeof part === 'string' && part !== ''),
    )
    .filter((parts) => parts.length > 0)
    .map((parts) => parts.join(' '))
  return (
    <div>
      {title && <h3>{title}</h3>}
      <address className={css.address}>
        {texts.map((text, i) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: the lines of an address have no other name.
          <div key={i}>
            <bdi>{text}</bdi>
          </div>
        ))}
      </address>
    </div>
  )
}
