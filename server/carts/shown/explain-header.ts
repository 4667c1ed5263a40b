import { text } from '../../kernel/shape/fields.ts'

/** For the API document. */
export const explainHeader = {
  Prefer: text({
    about:
      '`explain` asks for the reasons for prices and promotions. For sellers, and for shoppers if a setting allows it.',
  }),
}
