import { useState } from 'react'
import type { Action, ResourceFields, Write } from '../../api/document.ts'
import type { Item } from '../../api/objects.ts'
import { useRights } from '../../api/rights.ts'
import { hasAttempt } from '../../forms/use-attempt.ts'
import { useActions } from '../../parts/actions.ts'
import { Button } from '../../parts/button.tsx'
import parts from '../../parts/parts.module.css'
import { ActionWindow } from '../../records/action-window.tsx'
import { screenWords, words } from '../../words/words.ts'
import { DeedWindow } from './deed-window.tsx'
import { amountOf } from './order.ts'
import css from './orders.module.css'

interface OrderDeedsProps {
  readonly order: Item
  readonly itemPath: string
  readonly etag: string | undefined
  readonly fields: ResourceFields
  readonly update: Write
  readonly name: string
  onDone(text: string): void
}

/** Ways on from the states of an order: both are final. */
const changes = {
  ship: { shipping: 'fulfilled' },
  cancel: { status: 'cancelled' },
} as const

type Deed = keyof typeof changes

/** Why an order can go no further on a way, by its own state; undefined if the server may let it. */
function stopOf(
  deed: Deed,
  { status, shipping }: Item,
): 'cancelled' | 'shipped' | 'shippedNotCancelled' | undefined {
  if (status === 'cancelled') return 'cancelled'
  if (shipping !== 'fulfilled') return undefined
  return deed === 'ship' ? 'shipped' : 'shippedNotCancelled'
}

/** What can be done with the order as a whole, or why it cannot. */
export function OrderDeeds({ order, itemPath, etag, fields, update, name, onDone }: OrderDeedsProps) {
  const { deeds, sends } = screenWords.orders
  const rights = useRights()
  const [opened, setOpened] = useState<Deed | 'pay'>()
  const close = () => setOpened(undefined)
  const mayChange = rights.may(update.right)
  const all = mayChange ? (Object.keys(changes) as readonly Deed[]) : []
  const possible = all.filter((deed) => !stopOf(deed, order))
  const stops = new Set(all.flatMap((deed) => stopOf(deed, order) ?? []))
  const pay = fields.actions?.find(isPay)
  const owing = amountOf(order, 'balance_owing')
  const mayPay = pay && rights.may(pay.write.right) && order.status !== 'cancelled' && owing > 0
  useActions(possible.map((deed) => ({ title: deeds[deed].title, run: () => setOpened(deed) })))
  return (
    <section aria-labelledby="deeds">
      <h2 id="deeds">{words.record.actions}</h2>
      {(possible.length > 0 || mayPay) && (
        <div className={parts.row}>
          {mayPay && <Button onClick={() => setOpened('pay')}>{deeds.pay}</Button>}
          {possible.map((deed) => (
            <Button
              key={deed}
              {...(deed === 'cancel' && { look: 'bad' as const })}
              onClick={() => setOpened(deed)}
            >
              {deeds[deed].title}
            </Button>
          ))}
        </div>
      )}
      {possible
        .filter((deed) => hasAttempt(itemPath, deed))
        .map((deed) => (
          <p key={deed} className={css.concern} role="status">
            {screenWords.orders.deed.unfinished(deeds[deed].title)}
          </p>
        ))}
      {[...stops].map((stop) => (
        <p key={stop} className={css.dim}>
          {deeds.stops[stop]}
        </p>
      ))}
      {!mayChange && rights.role && <p className={css.dim}>{words.rights.mayNotChange(rights.role)}</p>}
      {opened === 'pay' && pay && (
        <ActionWindow
          {...{ etag, name }}
          action={pay}
          item={order}
          at={itemPath}
          onDone={() => onDone('')}
          onClose={close}
        />
      )}
      {(opened === 'ship' || opened === 'cancel') && (
        <DeedWindow
          purpose={opened}
          title={deeds[opened].title}
          about={deeds[opened].about}
          write={update}
          path={itemPath}
          body={{ data: { type: 'order', ...changes[opened] } }}
          before={order}
          shown={fields.shown}
          submit={deeds[opened].title}
          look={opened === 'cancel' ? 'bad' : 'main'}
          sends={sends.order[opened]}
          onDone={() => {
            close()
            onDone(deeds[opened].done)
          }}
          onClose={close}
        />
      )}
    </section>
  )
}

const isPay = ({ write }: Action): boolean => write.path.endsWith('/payments')
