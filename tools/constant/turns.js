// Sets servers beside each other under autocannon, which must be where Node.js finds it:
//
//   node turns.js ROUNDS SECONDS CONNECTIONS NAME=PORT[=PID]...
//
// In each round every server is asked for as many seconds, in an order of its own, the same
// random positions of Quixo 4×4, 3,000 a connection (POSITIONS=… in the environment for
// another number); the first round of each is left out. Printed are medians, in brackets with
// the interval that has them with 95 % (from six rounds on): requests a second, their ratio to those of the last
// server, by rounds, and the processor time for a request, the server's where its process is
// given, and the client's.
'use strict'
const autocannon = require('autocannon')
const fs = require('fs')

const [rounds, seconds, connections] = process.argv.slice(2, 5).map(Number)
const servers = process.argv.slice(5).map(text => {
  const [name, port, pid] = text.split('=')
  return { name, port, pid, rounds: [] }
})
if (!(rounds > 0 && seconds > 0 && connections > 0 && servers.length > 0 && servers.every(s => s.port > 0))) {
  console.error('usage: node turns.js ROUNDS SECONDS CONNECTIONS NAME=PORT[=PID]...')
  process.exit(2)
}

const cell = () => '..XO'[Math.floor(Math.random() * 4)]
const row = () => Array.from({ length: 4 }, cell).join('')
const position = () => encodeURIComponent(Array.from({ length: 4 }, row).join('/') + ' x')
const requests = Array.from({ length: Number(process.env.POSITIONS ?? 3000) }, () => ({ path: '/v1/quixo/4/position?p=' + position() }))

// processorTime returns that of a process, in µs.
function processorTime (pid) {
  if (!pid) return 0
  const tasks = fs.readdirSync(`/proc/${pid}/task`)
  return tasks.reduce((sum, task) => {
    try {
      return sum + Number(fs.readFileSync(`/proc/${pid}/task/${task}/schedstat`, 'utf8').split(' ')[0])
    } catch {
      return sum // a thread that has just ended
    }
  }, 0) / 1e3
}

// ask sends requests to a server for a round.
function ask (server) {
  return new Promise((resolve, reject) => {
    let begun, served, own
    const load = autocannon({ url: `http://127.0.0.1:${server.port}`, connections, duration: seconds, sampleInt: 100, requests }, (err, result) => {
      const answers = result?.['2xx']
      if (err || !answers || result.errors + result.non2xx > 0) {
        reject(err ?? new Error(`${server.name}: ${answers} answers, ${result.non2xx} refusals, ${result.errors} errors`))
        return
      }
      const { user, system } = process.cpuUsage(own)
      resolve({
        rate: answers / (performance.now() - begun) * 1e3,
        served: (processorTime(server.pid) - served) / answers,
        own: (user + system) / answers
      })
    })
    load.on('start', () => { // the requests are made, and none is sent yet
      [begun, served, own] = [performance.now(), processorTime(server.pid), process.cpuUsage()]
    })
  })
}

// spread returns the median and its 95 % confidence interval, from order statistics.
function spread (numbers, digits) {
  const sorted = numbers.toSorted((a, b) => a - b)
  const n = sorted.length
  const out = Math.max(0, Math.floor((n - 1.96 * Math.sqrt(n)) / 2))
  const median = (sorted[(n - 1) >> 1] + sorted[n >> 1]) / 2
  return `${median.toFixed(digits)} (${sorted[out].toFixed(digits)}–${sorted[n - 1 - out].toFixed(digits)})`
}

function shuffled (list) {
  return list.map(item => [Math.random(), item]).sort((a, b) => a[0] - b[0]).map(([, item]) => item)
}

async function main () {
  for (const s of servers) await ask(s)
  for (let r = 0; r < rounds; r++) {
    for (const s of shuffled(servers)) s.rounds.push(await ask(s))
  }
  const last = servers.at(-1)
  for (const s of servers) {
    const of = key => s.rounds.map(round => round[key])
    const ratios = s.rounds.map((round, i) => round.rate / last.rounds[i].rate)
    console.log(`${connections} connections, ${s.name}: ${spread(of('rate'), 0)} requests/s, ratio ${spread(ratios, 2)}, ` +
      (s.pid ? `server ${spread(of('served'), 1)} µs, ` : '') + `client ${spread(of('own'), 1)} µs`)
  }
}

main().catch(err => {
  console.error(err.message)
  process.exit(1)
})
