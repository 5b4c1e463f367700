package plan

import (
	"math/bits"

	"backsolve/internal/bitslice"
	"backsolve/internal/memory"
	"backsolve/partition"
)

// maxShards is the most shards of a class. With more, reading takes most of the time.
const maxShards = 16

// parts is the number of parts of the class above that are graded one after the other where that as a
// whole exceeds the limit. As many parts of the class read each of them.
const parts = 4

// ShardPlanes returns how many planes of a shard are in memory at most: its undecided states,
// candidates and two frontiers, and a frontier of another shard. With steps there is one for pushed
// states besides; without, there are its won states and blocked candidates.
func ShardPlanes(steps bool) int64 {
	if steps {
		return 6
	}
	return 7
}

// ShardSectionBits returns the binary logarithm of the words of a section, the unit of work files. Logs have an entry
// for each section and ply, so theirs are longer.
func ShardSectionBits(steps bool) int {
	if steps {
		return 15
	}
	return 13
}

// shard chooses the shards of the classes that exceed the limit of memory: as few as suffice, or
// the most where these do not suffice either, so that Memory is the least that the solve takes.
func (p *Plan) shard() {
	if p.Limit == 0 || !memory.Releases || p.space.Kind == partition.FixedSlice || p.Nimbers {
		return
	}
	room, above := p.Limit-p.Fixed()-p.Writing(), int64(0)
	for i := range p.Classes {
		c := &p.Classes[i]
		if whole := p.needs(c, above); p.Steps && whole > room {
			if c.Parts = parts; p.needs(c, above) >= whole {
				c.Parts = 0
			}
		}
		if whole, most := p.needs(c, above), min(maxShards, int(c.sections(p.section(c)))); whole > room && most > 1 {
			for c.Shards = 2; c.Shards < most && p.needs(c, above) > room; {
				c.Shards++
			}
			if p.needs(c, above) >= whole {
				c.Shards = 0
			}
		}
		if c.Shards > 0 {
			// Relative to a class in memory; measured on Quixo 4×5 in 2 to 9 shards, and on classes
			// of 5×5; with steps also on 3×6 in 2 to 8.
			shardedFolds := 1.05 + 0.24*float64(c.Shards)
			if p.Steps {
				marked := float64(c.Class) / float64(p.space.MaskBits)
				shardedFolds = 1 + (0.4+0.42*float64(c.Shards))*marked
			}
			p.Folds += (shardedFolds - 1) * c.Folds
			c.Folds *= shardedFolds
		}
		above = p.reserved(c)
	}
}

// section returns the words of a section of a class, and sections how many of these a plane has.
func (p *Plan) section(c *Class) int64 {
	return max(int64(bitslice.Words(c.IndexBits)), 1<<ShardSectionBits(p.Steps))
}

func (c *Class) sections(section int64) int64 { return (c.words() + section - 1) / section }

// shardBytes returns what a class takes that is solved in shards; section is the length of one in words.
func (p *Plan) shardBytes(c *Class, above, section int64) int64 {
	slice, planes := int64(bitslice.Words(c.IndexBits)), ShardPlanes(p.Steps)
	share := 8 * section * ((c.sections(section) + int64(c.Shards) - 1) / int64(c.Shards))
	links := p.linkBytes(c)
	whole := 8 * c.words() // won states
	if !p.Steps {
		whole = 0
		if within := linksBytes(c.Blocks / int64(c.Shards) * (p.moves*int64(c.Class)/int64(p.space.MaskBits) + 1)); p.space.Kind == partition.Cyclic {
			links = min(links, within*5/4)
		}
	} else {
		links += 6 * LogIndexBytes(c.words(), section, 1<<p.digits(c.Class))
		// A thread has the states of a section by steps, and while it is written the steps of three. Fixed and
		// Writing count those of short ones.
		links += int64(p.Threads) * (listed + 3*8*int64(p.digits(c.Class))) * max(section-1<<SectionBits, 0)
		if above < 8*HeldWords { // those of the class above may be in memory, with room to grow
			links += int64(2 * loggedBits * float64(above))
		}
	}
	const (
		summaries = 5               // frontiers, at most
		buffers   = 6               // sections that a thread reads, writes or packs
		edges     = 2 * 7 * 2 << 20 // large pages at both ends of the planes of a shard
	)
	need := whole + planes*share + links + ActiveListBytes(c.Blocks, share/8)
	need += summaries*8*c.Blocks*int64(bitslice.SummaryWords(int(slice))) + int64(p.Threads)*buffers*8*section
	switch {
	case above == 0:
	case p.Steps: // the grades of a section of both classes
		need += max(0, int64(p.digits(c.Class))*2*8*section-planes*share)
	default: // a section of both outcomes
		need += max(0, 2*2*8*section-(planes-2)*share)
	}
	return need + min(edges*planes/5, share)
}

// ShardWork estimates what the work files of shards take, without logs. The figures are fitted to
// Quixo 4×5 in 2 to 4 shards, where three or four turns a shard solve a class; with steps in 2 to
// 12 shards, which take a turn in each of some 78 plies.
func (p *Plan) ShardWork() (w Work) {
	const (
		files     = 7 // outcomes, candidates, what shards left, and the outcomes of the class above
		written   = 8 // planes of the class
		read      = 8
		readShard = 4             // for each shard
		speed     = 1_000_000_000 // bytes a second that are read and written
	)
	var above int64
	for _, c := range p.Classes {
		plane := 8 * c.words()
		if c.Shards > 0 {
			w.Files = max(w.Files, 2*above+(files-2)*plane)
			turns := int64(1)
			if p.Steps {
				turns = 22 // times the planes; logs are read by each shard
				w.Read += readShard * int64(c.Shards) * plane
			}
			w.Written += written * turns * plane
			w.Read += (read*turns + readShard*int64(c.Shards)) * plane
		}
		above = plane
	}
	w.Seconds = float64(w.Written+w.Read) / speed
	return w
}

// MaxWorkerShards is the most shards of a class that several processes solve.
const MaxWorkerShards = 64

// SharedSection returns the words of a section of a class that several processes solve: short
// enough for many sections, long enough for an object in a store.
func SharedSection(blocks, sliceWords int64, steps bool) int64 {
	const atLeast = 64 // sections
	sectionBits := min(max(bits.Len64(uint64(blocks*sliceWords/atLeast))-1, 0), SectionBits)
	if steps {
		sectionBits = max(sectionBits, bitslice.GroupBits)
	}
	return max(sliceWords, 1<<sectionBits)
}

// WorkerShards returns the fewest shards, from atLeast on, with which a worker keeps a memory limit (0 for none) in a
// class, or the most if none do, and the memory that it takes then.
func (p *Plan) WorkerShards(class, atLeast int, limit int64) (shards int, need int64) {
	const (
		transfers = 64 << 20 // what is being read and written for a worker
		spare     = 10       // a tenth: workers of Quixo 5×5 took up to 5 % more than the rest of the sum
	)
	i, above := p.space.MaskBits-class, int64(0)
	if i > 0 {
		above = p.reserved(&p.Classes[i-1])
	}
	c := p.Classes[i]
	section := SharedSection(c.Blocks, int64(bitslice.Words(c.IndexBits)), p.Steps)
	most := int(min(MaxWorkerShards, c.sections(section)))
	for c.Shards = min(max(1, atLeast), most); ; c.Shards++ {
		need = p.Fixed() + transfers + p.shardBytes(&c, above, section)
		if need += need / spare; c.Shards == most || limit == 0 || need <= limit {
			return c.Shards, need
		}
	}
}

// ShardWorkerMemory returns the memory that a worker takes with the least of WorkerShards.
func (p *Plan) ShardWorkerMemory(atLeast int, limit int64) (most int64) {
	for _, c := range p.Classes {
		_, need := p.WorkerShards(c.Class, atLeast, limit)
		most = max(most, need)
	}
	return most
}

// TableCoordinatorMemory returns the memory of the process that has workers solve classes into a table.
func (p *Plan) TableCoordinatorMemory() int64 {
	const objects = 16 << 20 // that are being read
	return p.Fixed() + p.Writing() + objects
}
