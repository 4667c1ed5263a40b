import { Problem } from '../../kernel/errors.ts'

let list: Promise<ReadonlySet<string>> | undefined

/** About 18,000 passwords of 8 characters or more; shorter ones are refused for their length. */
async function commonPasswords(): Promise<ReadonlySet<string>> {
  // Loaded on first use: it takes 30 ms, and most processes never need it.
  const { dictionary } = await import('@zxcvbn-ts/language-common')
  const long = dictionary['passwords-common'].filter(({ length }) => length >= 8)
  return new Set(long.map((one) => one.toLowerCase()))
}

/** Refuses (422) a new password that is among the most common, regardless of case. */
export async function refuseCommonPassword(password: string): Promise<void> {
  list ??= commonPasswords()
  if (!(await list).has(password.toLowerCase())) return
  throw new Problem(
    'unprocessable',
    'data.password is one of the most common passwords, which are guessed first: choose one of 8 to 1024 characters that ' +
      'few others use, such as four unrelated words.',
    { source: 'data.password' },
  )
}
