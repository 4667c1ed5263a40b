import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import type { Action, FieldFacts, ResourceFields } from '../../api/document.ts'
import type { Item } from '../../api/objects.ts'
import { useRights } from '../../api/rights.ts'
import { Money } from '../../fields/money.tsx'
import { Time } from '../../fields/time.tsx'
import { hasAttempt } from '../../forms/use-attempt.ts'
import { Button } from '../../parts/button.tsx'
import parts from '../../parts/parts.module.css'
import { choiceLabel } from '../../words/labels.ts'
import { screenWords, words } from '../../words/words.ts'
import css from './orders.module.css'
import { PaymentWindow } from './payment-window.tsx'
import { type Payment, stopOf, useConcerns, type Verb } from './payments.ts'
import type { Line } from './totals.ts'

interface OrderPaymentsProps {
  readonly order: Item
  readonly itemPath: string
  readonly payments: readonly Payment[]
  readonly lines: readonly Line[]
  /** The fields and the actions of a payment. */
  readonly fields: ResourceFields
  onDone(text: string): void
}

/** The payments of an order, with what can be done with each, or why nothing can. */
export function OrderPayments({ order, itemPath, payments, lines, fields, onDone }: OrderPaymentsProps) {
  const { payments: texts, open } = screenWords.orders
  const concerns = useConcerns(String(order.id)).data ?? []
  const [opened, setOpened] = useState<{ verb: Verb; action: Action; payment: Payment }>()
  const close = () => setOpened(undefined)
  return (
    <section aria-labelledby="payments">
      <h2 id="payments">{texts.title}</h2>
      {payments.length === 0 && <p className={css.dim}>{texts.none}</p>}
      <ul className={css.payments}>
        {payments.map((payment) => (
          <li key={payment.id}>
            <OnePayment
              {...{ payment, itemPath, fields }}
              onOpen={(verb, action) => setOpened({ verb, action, payment })}
            />
            {concerns
              .filter(({ id }) => id === payment.id)
              .map(({ reason }) => (
                <p key={String(reason)} className={css.concern} role="status">
                  <strong>{reason === 'no_answer' ? texts.unknown : words.areas.openPayments}:</strong>{' '}
                  {open.reasons[String(reason)]?.what} {open.reasons[String(reason)]?.todo}
                </p>
              ))}
          </li>
        ))}
      </ul>
      {opened && (
        <PaymentWindow
          {...opened}
          {...{ lines, itemPath }}
          shown={fields.shown as readonly FieldFacts[]}
          onDone={(text) => {
            close()
            onDone(text)
          }}
          onClose={close}
        />
      )}
    </section>
  )
}

interface OnePaymentProps {
  readonly payment: Payment
  readonly itemPath: string
  readonly fields: ResourceFields
  onOpen(verb: Verb, action: Action): void
}

function OnePayment({ payment, itemPath, fields, onOpen }: OnePaymentProps) {
  const { payments: texts, verbs, deed } = screenWords.orders
  const rights = useRights()
  const { id, name, gateway, type, status, amount, refunded, failedRefund, currency, failure } = payment
  const possible = payment.next.flatMap((verb) => {
    const action = fields.actions?.find(({ write }) => write.path.endsWith(`/${verb}`))
    return action && rights.may(action.write.right) ? [{ verb, action }] : []
  })
  const stop = stopOf(payment)
  return (
    <>
      <p>
        <Link to="/$" params={{ _splat: `${itemPath}/transactions/${id}`.slice(1) }}>
          <bdi>{name || choiceLabel(gateway)}</bdi>
        </Link>{' '}
        <strong>
          <Money {...{ amount, currency }} />
        </strong>{' '}
        <span className={css.state} data-state={status}>
          {texts.states[`${type} ${status}`] ?? `${choiceLabel(type)}, ${choiceLabel(status)}`}
        </span>
      </p>
      {refunded > 0 && refunded < amount && (
        <p>
          {texts.refunded}: <Money amount={refunded} currency={currency} />
        </p>
      )}
      {failedRefund > 0 && (
        <p>
          {texts.failedRefund}: <Money amount={failedRefund} currency={currency} />
        </p>
      )}
      {failure && <p>{texts.failure(failure)}</p>}
      <p className={css.dim}>
        <bdi>{choiceLabel(gateway)}</bdi>, <Time iso={payment.at} />
      </p>
      {possible.length > 0 && (
        <div className={parts.row}>
          {possible.map(({ verb, action }) => (
            <Button
              key={verb}
              {...(verb === 'cancel' && { look: 'bad' as const })}
              onClick={() => onOpen(verb, action)}
            >
              {verbs[verb].title}
            </Button>
          ))}
        </div>
      )}
      {possible
        .filter(({ verb }) => hasAttempt(`${itemPath}/transactions/${id}/${verb}`, verb))
        .map(({ verb }) => (
          <p key={verb} className={css.concern} role="status">
            {deed.unfinished(verbs[verb].title)}
          </p>
        ))}
      {stop && <p className={css.dim}>{texts.stops[stop]}</p>}
      {!stop && !payment.next.includes('refund') && rights.may('write transactions') && (
        <p className={css.dim}>{texts.notReceived}</p>
      )}
    </>
  )
}
