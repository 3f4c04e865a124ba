import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { describeAgent } from '../../src/workbench/account/describe-agent.ts'

test('a browser is named with its system', () => {
  const named: [string, string][] = [
    ['Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0', 'Firefox on Linux'],
    [
      'Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.0 Mobile/15E148 Safari/604.1',
      'Safari on iOS',
    ],
    [
      'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/142.0.0.0 Safari/537.36 Edg/142.0.0.0',
      'Edge on Windows',
    ],
    [
      'Mozilla/5.0 (Linux; Android 10; K) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/142.0.0.0 Mobile Safari/537.36',
      'Chrome on Android',
    ],
    [
      'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.0 Safari/605.1.15',
      'Safari on macOS',
    ],
  ]
  for (const [agent, name] of named) assert.is(describeAgent(agent), name)
})

test('an unknown browser is shown with its first characters', () => {
  assert.is(describeAgent(null), 'Unknown browser')
  assert.is(describeAgent(''), 'Unknown browser')
  assert.is(describeAgent(`curl/8 ${'x'.repeat(100)}`), `curl/8 ${'x'.repeat(33)}`)
})

test.run()
