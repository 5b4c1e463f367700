// A wooden knock for each move; off by default.

import { keep, kept } from "./kept.js";

const key = "sound";
let audio: AudioContext | null = null;

/** hasSound says whether sound is on. */
export function hasSound(): boolean {
  return kept(key) === "1";
}

/** setSound turns the sound on or off. */
export function setSound(on: boolean): void {
  keep(key, on ? "1" : "");
  if (on) knock();
}

/** knock plays the sound, if it is on. */
export function knock(): void {
  if (!hasSound()) return;
  audio ??= new AudioContext();
  const [tone, volume, now] = [audio.createOscillator(), audio.createGain(), audio.currentTime];
  tone.type = "triangle";
  tone.frequency.setValueAtTime(420, now);
  tone.frequency.exponentialRampToValueAtTime(120, now + 0.07);
  volume.gain.setValueAtTime(0.3, now);
  volume.gain.exponentialRampToValueAtTime(0.001, now + 0.12);
  tone.connect(volume).connect(audio.destination);
  tone.start(now);
  tone.stop(now + 0.13);
}
