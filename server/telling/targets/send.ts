import { failureOf } from './describe-failure.ts'
import {
  type Limits,
  type MessageTarget,
  type Result,
  type SendOutcome,
  type TargetMessage,
  usualLimits,
} from './message.ts'
import type { Network } from './network.ts'
import { sendToSqs } from './sqs.ts'
import { sendToStomp } from './stomp.ts'
import { sendWebhook } from './webhook.ts'

/** Some details repeat what a target has answered. */
const detailCharsMax = 1_000

/** Sends a message to a target, once, within the limits. It never throws: every failure is an outcome. */
export async function send(
  network: Network,
  target: MessageTarget,
  message: TargetMessage,
  limits: Partial<Limits> = {},
): Promise<SendOutcome> {
  const { timeoutMs, bodyMs, bodyBytesMax } = { ...usualLimits, ...limits }
  const signals = [AbortSignal.timeout(timeoutMs), ...(limits.signal ? [limits.signal] : [])]
  const signal = AbortSignal.any(signals)
  const startedAt = performance.now()
  const result = await sendAs(network, target, message, { timeoutMs, bodyMs, bodyBytesMax, signal }).catch(
    // Libraries wrap the reason of an abort in errors of their own.
    (error: unknown) => failureOf(signal.aborted ? signal.reason : error, timeoutMs),
  )
  return {
    ...result,
    errorDetail: storable(result.errorDetail.slice(0, detailCharsMax)),
    body: storable(result.body),
    processingTimeS: Math.round((performance.now() - startedAt) * 10) / 10_000,
  }
}

/** Text that the database can store, also if it was cut inside of a character. */
const storable = (text: string): string => text.toWellFormed().replaceAll('\0', '\uFFFD')

async function sendAs(
  network: Network,
  target: MessageTarget,
  message: TargetMessage,
  limits: Limits,
): Promise<Result> {
  switch (target.type) {
    case 'webhook':
      return sendWebhook(network, target, message, limits)
    case 'aws_sqs':
      return sendToSqs(network, target, message, limits)
    case 'stomp':
      return sendToStomp(network, target, message, limits)
  }
}
