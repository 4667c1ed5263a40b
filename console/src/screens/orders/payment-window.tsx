import { useId, useState } from 'react'
import type { Action, FieldFacts } from '../../api/document.ts'
import { valueAt } from '../../api/objects.ts'
import { fillPath } from '../../api/resources.ts'
import { digitsOf, moneyText, useCurrencies } from '../../fields/currencies.ts'
import { MoneyEditor } from '../../fields/money-editor.tsx'
import parts from '../../parts/parts.module.css'
import { choiceLabel } from '../../words/labels.ts'
import { screenWords, words } from '../../words/words.ts'
import { DeedWindow } from './deed-window.tsx'
import css from './orders.module.css'
import type { Payment, Verb } from './payments.ts'
import { RefundLines } from './refund-lines.tsx'
import type { Line } from './totals.ts'

interface PaymentWindowProps {
  readonly verb: Verb
  readonly action: Action
  readonly payment: Payment
  readonly lines: readonly Line[]
  readonly shown: readonly FieldFacts[]
  readonly itemPath: string
  onDone(text: string): void
  onClose(): void
}

/** What a refund gives back. `elsewhere`: the merchant has returned the money in another way. */
type Extent = 'all' | 'part' | 'lines' | 'elsewhere'

/** Captures, refunds, confirms or cancels a payment. */
export function PaymentWindow(props: PaymentWindowProps) {
  const { verb, action, payment, shown, itemPath, onDone, onClose } = props
  const { verbs, sends } = screenWords.orders
  const currencies = useCurrencies()
  const [extent, setExtent] = useState<Extent>('all')
  const [typed, setTyped] = useState('')
  const text = (amount: number) =>
    currencies ? moneyText(amount, payment.currency, digitsOf(currencies, payment.currency)) : ''
  const rest = payment.amount - payment.refunded
  const amount =
    verb !== 'refund' || extent === 'elsewhere' ? undefined : extent === 'all' ? rest : readAmount(typed)
  const fault = verb === 'refund' && extent !== 'elsewhere' ? faultOf(amount, rest, text) : undefined
  const isFaulty = fault !== undefined
  const body = isFaulty
    ? undefined
    : { data: { type: 'transaction', ...(amount !== undefined && { amount }) } }
  /** The amount of a request, which may have been sent before what is chosen now. */
  const amountIn = (sent: unknown): string =>
    text(Number(valueAt(sent, 'data.amount') ?? (verb === 'refund' ? rest : payment.amount)))
  const moved = amountIn(body)
  const gateway = choiceLabel(payment.gateway)
  const isManual = payment.gateway === 'manual'
  const title = verbs[verb].submit(verb === 'confirm' ? '' : moved)
  const submit = isFaulty ? verbs[verb].title : title
  return (
    <DeedWindow
      purpose={verb}
      title={verbs[verb].title}
      about={verbs[verb].about(text(payment.amount))}
      write={action.write}
      path={fillPath(action.write.path, `${itemPath}/transactions/${payment.id}`)}
      {...{ body, shown, submit, onClose }}
      before={payment.item}
      look={verb === 'refund' || verb === 'cancel' ? 'bad' : 'main'}
      sends={
        extent === 'elsewhere' && verb === 'refund'
          ? sends.elsewhere
          : isManual
            ? sends.manual[verb]
            : sends.gateway[verb](gateway, moved)
      }
      submitOf={(sent) => verbs[verb].submit(amountIn(sent))}
      onDone={(sent) => onDone(verbs[verb].done(amountIn(sent)))}
    >
      {verb === 'refund' && (
        <RefundForm
          {...{ payment, extent, typed, rest, fault, text }}
          lines={props.lines}
          onExtent={setExtent}
          onTyped={setTyped}
        />
      )}
    </DeedWindow>
  )
}

const readAmount = (typed: string): number | undefined => (/^\d+$/.test(typed) ? Number(typed) : undefined)

function faultOf(
  amount: number | undefined,
  rest: number,
  text: (amount: number) => string,
): string | undefined {
  const { refund } = screenWords.orders
  if (amount === undefined) return words.money.wrong
  if (amount < 1) return refund.atLeast(text(1))
  return amount > rest ? refund.atMost(text(rest)) : undefined
}

interface RefundFormProps {
  readonly payment: Payment
  readonly lines: readonly Line[]
  readonly extent: Extent
  readonly typed: string
  readonly rest: number
  readonly fault: string | undefined
  text(amount: number): string
  onExtent(extent: Extent): void
  onTyped(typed: string): void
}

function RefundForm({
  payment,
  lines,
  extent,
  typed,
  rest,
  fault,
  text,
  onExtent,
  onTyped,
}: RefundFormProps) {
  const id = useId()
  const { refund } = screenWords.orders
  const extents: readonly Extent[] = [
    ...(['all', 'part'] as const),
    ...(lines.length ? (['lines'] as const) : []),
    // The manual gateway moves no money in any case.
    ...(payment.gateway === 'manual' ? [] : (['elsewhere'] as const)),
  ]
  const isTyped = extent === 'part' || extent === 'lines'
  return (
    <fieldset className={css.extents}>
      <legend>{refund.howMuch}</legend>
      {payment.refunded > 0 && <p>{refund.before(text(payment.refunded), text(payment.amount))}</p>}
      {extents.map((one) => (
        <label key={one}>
          <input
            type="radio"
            name={`${id}-extent`}
            checked={extent === one}
            onChange={() => {
              onExtent(one)
              onTyped('')
            }}
          />{' '}
          {refund.extents[one](text(rest))}
        </label>
      ))}
      {extent === 'lines' && <RefundLines {...{ lines, text }} onAmount={(sum) => onTyped(String(sum))} />}
      {isTyped && (
        <div>
          <label htmlFor={`${id}-amount`}>{refund.amount}</label>
          <MoneyEditor
            value={typed}
            currency={payment.currency}
            shared={{
              ...{ id: `${id}-amount`, className: parts.input, autoComplete: 'off' },
              'aria-describedby': `${id}-most`,
              'aria-invalid': typed !== '' && fault !== undefined,
            }}
            onChange={onTyped}
          />
          <p id={`${id}-most`} className={css.dim}>
            {typed !== '' && fault ? fault : refund.atMost(text(rest))}
          </p>
        </div>
      )}
    </fieldset>
  )
}
