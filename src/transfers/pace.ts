/** The chunks of all answers that are sent in one turn of the event loop. */
export const chunksPerTurn = 4

let sent = 0
const waiting: (() => void)[] = []

/**
 * Waits until the chunk of an answer may be sent. Many clients that read fast would otherwise fill
 * a turn of the event loop with their writes, and other requests would wait for all of them.
 */
export function paced(): Promise<void> | undefined {
  if (sent < chunksPerTurn) {
    count()
    return undefined
  }
  return new Promise(resolve => waiting.push(resolve))
}

function count(): void {
  sent++
  if (sent === 1) setImmediate(nextTurn)
}

function nextTurn(): void {
  sent = 0
  for (const go of waiting.splice(0, chunksPerTurn)) {
    count()
    go()
  }
}
