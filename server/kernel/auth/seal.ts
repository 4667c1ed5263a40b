import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto'

const [nonceBytes, tagBytes] = [12, 16]

/** Encrypts what must be readable again, such as a provider's client secret (AES-256-GCM: nonce, tag, ciphertext). */
export function seal(key: Uint8Array, text: string): string {
  const nonce = randomBytes(nonceBytes)
  const cipher = createCipheriv('aes-256-gcm', key, nonce, { authTagLength: tagBytes })
  const ciphertext = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()])
  return Buffer.concat([nonce, cipher.getAuthTag(), ciphertext]).toString('base64url')
}

/** The text that was sealed; throws when it was sealed with another key, or altered since. */
export function open(key: Uint8Array, sealed: string): string {
  const bytes = Buffer.from(sealed, 'base64url')
  const ciphertext = bytes.subarray(nonceBytes + tagBytes)
  const decipher = createDecipheriv('aes-256-gcm', key, bytes.subarray(0, nonceBytes), {
    authTagLength: tagBytes,
  })
  decipher.setAuthTag(bytes.subarray(nonceBytes, nonceBytes + tagBytes))
  return Buffer.concat([decipher.update(ciphertext), decipher.final()]).toString('utf8')
}
