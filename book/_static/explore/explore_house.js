/* The House of 1984 for the explorables that need its members: their votes, and three seats to take. */

"use strict";

(() => {
  const { names, members } = exploreHouse;
  const bits = Array.from(atob(members), (byte) => byte.charCodeAt(0).toString(2).padStart(8, "0")).join("");
  const rows = bits.match(/.{17}/g).map((row) => Array.from(row, Number));
  const votes = rows.map((row) => row.slice(0, 16)), party = rows.map((row) => row[16]);

  /* Share of yes to each question within a party. */
  const shares = [0, 1].map((side) => {
    const own = votes.filter((_, i) => party[i] === side);
    return names.map((_, j) => own.reduce((sum, row) => sum + row[j], 0) / own.length);
  });

  const logChance = (row, side) => row.reduce(
    (sum, vote, j) => sum + Math.log(vote ? shares[side][j] : 1 - shares[side][j]), 0);
  const chances = votes.map((row, i) => logChance(row, party[i]));
  const ordered = (side) => [...votes.keys()].filter((i) => party[i] === side).sort((a, b) => chances[b] - chances[a]);
  const [democrats, republicans] = [ordered(0), ordered(1)];
  const seats = [
    { words: "a typical Democrat", member: democrats[0] },
    { words: "an ordinary Republican", member: republicans[Math.floor(republicans.length / 2)] },
    { words: "an odd Democrat", member: democrats.at(-1) },
  ];

  /* How many votes somebody guesses right who holds yes for so likely. */
  const right = (yes, own) => yes.filter((p, j) => (p > 0.5 ? 1 : 0) === own[j]).length;

  globalThis.exploreMembers = Object.freeze({ names, votes, party, right, shares, seats });
})();
