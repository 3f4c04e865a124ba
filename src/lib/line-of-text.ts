import { z } from 'zod'
import { findInvisible } from './invisible.ts'
import { oneAddress } from './normalize.ts'

/**
 * Returns the schema of a name on one line, trimmed, of `least` to `most` characters (code points).
 * Invisible characters, which would make two names look alike, are refused.
 */
export const lineOfText = (least: number, most: number) =>
  z
    .string()
    .trim()
    .refine(text => [...text].length >= least && [...text].length <= most, {
      error: `takes ${least} to ${most} characters`,
      abort: true,
    })
    .refine(
      text => !/[\p{Cc}\p{Noncharacter_Code_Point}\u2028\u2029]/u.test(text),
      'takes one line without control characters',
    )
    .superRefine((text, check) => {
      const found = findInvisible(text)
      if (found !== undefined)
        check.addIssue({
          code: 'custom',
          message: `contains the invisible character ${found}; remove it`,
        })
    })
    .meta({ minLength: least, maxLength: most })

/** An http or https URL, normalized as in browsers. */
export const WebAddress = z.url({ protocol: /^https?$/, normalize: true }).max(2048)

/** The name of a person, which Git writes before the address in angle brackets. */
export const PersonName = lineOfText(1, 64).refine(
  name => !/[<>]/.test(name),
  'takes no angle brackets, because they enclose the address in commits',
)

/** An e-mail address, in the form in which it is stored. */
export const EmailAddress = z
  .string()
  .trim()
  .max(254)
  .regex(
    /^[^\s<>@\p{Cc}\p{Cf}\p{Noncharacter_Code_Point}]+@[^\s<>@\p{Cc}\p{Cf}\p{Noncharacter_Code_Point}]+$/u,
    'takes an e-mail address such as ada@example.org',
  )
  .overwrite(oneAddress)
