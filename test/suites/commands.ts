import { suite } from "./suites";

suite("commands");
