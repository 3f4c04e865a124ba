import { Fault } from '../../errors.ts'
import { type FairSlots, SlotsBusyError } from '../../lib/fair-slots.ts'
import type { Turn } from '../../sso/check-response.ts'

/** Returns a function that runs work in one of the slots of a provider. It throws 'unavailable' when too much waits. */
export const turnOf =
  (slots: FairSlots, providerId: string): Turn =>
  async work => {
    const release = await slots.take(providerId).catch((error: unknown) => {
      if (!(error instanceof SlotsBusyError)) throw error
      throw new Fault(
        'unavailable',
        'Too many people sign in through this identity provider right now. Try again in 10 s.',
        undefined,
        { reason: 'sso', retryAfter: 10 },
      )
    })
    try {
      return await work()
    } finally {
      release()
    }
  }
